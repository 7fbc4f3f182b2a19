//! `pack_repository`: the selected files as volumes under a token cap, and their index.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::{Call, Handler, Outcome, Prepared, Reply, Tool, failure};
use crate::arguments::Fields;
use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::Security;
use crate::limits::{LISTED_PATHS, PATH_BYTES, RESOURCE_BYTES};
use crate::mcp::message::Fault;
use crate::mcp::resources::{Bundle, BundleKind, Description, Document, RunId};
use crate::options::HostOptions;
use crate::pack::Request;
use crate::pack::index::TotalsOut;
use crate::pack::report::FileCounts;
use crate::pack::split::VolumeCaps;
use crate::pack::volumes::{self, RunCaps};
use crate::path::RelPath;
use crate::progress::Progress;
use crate::render::Style;

/// The entry for the table of tools.
#[must_use]
pub fn tool(host: Arc<HostOptions>) -> Tool {
    Tool {
        name: "pack_repository",
        title: "Pack repository",
        description: "Start here: packs the repository's source files, or only filePaths, into text volumes with exact token counts and an index. \
Returns run ID, counts and resource URIs, not the text: read volumes and index.json with read_context or as resources. \
Call it without arguments for everything the host selected, with compress for declarations only. Files that hold secrets are left out. Replaces the previous result."
            .to_owned(),
        schema: schema(&host),
        idempotent: true,
        handler: Handler::Compute(Box::new(move |call| prepare(call, &host))),
        failure,
    }
}

fn schema(host: &HostOptions) -> Value {
    let styles: Vec<&str> = Style::ALL.iter().map(|style| style.as_str()).collect();
    json!({
        "type": "object",
        "properties": {
            "filePaths": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": PATH_BYTES},
                "maxItems": LISTED_PATHS,
                "uniqueItems": true,
                "description": "Root-relative paths of files, literal: no globs, no directories. Omit for everything the host selected."
            },
            "maxTokens": {"type": "integer", "minimum": 1, "maximum": host.caps.tokens, "default": host.caps.tokens, "description": "Most tokens of one volume."},
            "compress": {"type": "boolean", "default": host.compress, "description": "Replace function bodies by short markers."},
            "style": {"type": "string", "enum": styles, "default": host.style.as_str()}
        },
        "additionalProperties": false
    })
}

/// What one call asks for.
struct Asked {
    paths: Option<Vec<RelPath>>,
    tokens: u64,
    compress: bool,
    style: Style,
}

fn prepare(call: &Call<'_>, host: &Arc<HostOptions>) -> Result<Prepared, Fault> {
    let fields = Fields::of(
        call.arguments,
        &["filePaths", "maxTokens", "compress", "style"],
    )?;
    let paths = fields
        .optional("filePaths")
        .map(|field| field.paths(0, LISTED_PATHS))
        .transpose()?;
    let tokens = fields
        .optional("maxTokens")
        .map(|field| field.capped(1, host.caps.tokens))
        .transpose()?;
    let compress = fields
        .optional("compress")
        .map(|field| field.flag())
        .transpose()?;
    let styles = Style::ALL.map(|style| (style.as_str(), style));
    let style = fields
        .optional("style")
        .map(|field| field.choice(&styles))
        .transpose()?;
    let mut asked = Asked {
        paths,
        tokens: tokens.unwrap_or(host.caps.tokens),
        compress: compress.unwrap_or(host.compress),
        style: style.unwrap_or(host.style),
    };
    if let Some(paths) = &mut asked.paths {
        paths.sort_unstable();
    }
    let (host, run) = (Arc::clone(host), call.run);
    Ok(Prepared::work(move |cancel, progress| {
        run_pack(&host, &asked, run, progress, cancel).unwrap_or_else(Outcome::from)
    }))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    schema_version: u32,
    status: &'static str,
    run_id: String,
    security: &'a Security,
    files: FileCounts,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    volumes: VolumesOut,
    totals: TotalsOut,
    resources: Vec<Description<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VolumesOut {
    count: usize,
    max_tokens: String,
    largest_tokens: String,
}

fn run_pack(
    host: &HostOptions,
    asked: &Asked,
    run: RunId,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let request = Request {
        paths: asked.paths.as_deref(),
        style: asked.style,
        compress: asked.compress,
    };
    let volume = VolumeCaps {
        tokens: asked.tokens,
        bytes: RESOURCE_BYTES as u64,
        volumes: host.caps.volumes,
    };
    let caps = RunCaps {
        volume,
        output_bytes: host.caps.output_bytes,
    };
    let pack = volumes::pack(host, &request, &caps, &run.to_string(), progress, cancel)?;
    let totals = pack.totals();
    let n_volumes = pack.volumes.len();
    let largest = pack
        .volumes
        .iter()
        .map(|volume| volume.tokens)
        .max()
        .unwrap_or(0);
    let files = FileCounts::new(pack.files.len(), &pack.skipped);
    let mut documents = Vec::with_capacity(n_volumes + 1);
    for volume in pack.volumes {
        documents.push(Document::new(
            volume.name,
            asked.style.mime_type(),
            volume.text,
            volume.tokens,
        )?);
    }
    documents.push(Document::new(
        "index.json",
        "application/json",
        pack.index,
        pack.index_tokens,
    )?);
    let bundle = Bundle::new(run, BundleKind::Pack, documents, host.caps.output_bytes)?;
    let reply = Reply::success(&Output {
        schema_version: 1,
        status: "complete",
        run_id: run.to_string(),
        security: &pack.security,
        files,
        partial: pack.partial,
        volumes: VolumesOut {
            count: n_volumes,
            max_tokens: asked.tokens.to_string(),
            largest_tokens: largest.to_string(),
        },
        totals: TotalsOut::from(totals),
        resources: bundle.describe().collect(),
    });
    Ok(Outcome {
        reply,
        bundle: Some(bundle),
    })
}
