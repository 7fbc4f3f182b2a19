#!/usr/bin/env bash
# Official MCP clients against the real programs.
#
#   tests/clients/run.sh BIN_DIR      BIN_DIR holds moon-repomix, crib-mcp and examples/crib-host
#
# Installs the clients from their registries into target/clients, once.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
dir="$here/../../target/clients"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

python_packages="mcp==2.3.0"
node_packages="@modelcontextprotocol/client@2.4.0"
stamp="$python_packages $node_packages"
if [ "$(cat "$dir/stamp" 2>/dev/null || true)" != "$stamp" ]; then
    rm -rf "$dir/venv" "$dir/node_modules"
    python3 -m venv "$dir/venv"
    "$dir/venv/bin/python" -m pip install --quiet --disable-pip-version-check $python_packages
    (cd "$dir" && { [ -f package.json ] || echo '{"private":true,"type":"module"}' >package.json; } &&
        npm install --no-audit --no-fund --loglevel=error $node_packages)
    printf %s "$stamp" >"$dir/stamp"
fi

cp "$here"/*.mjs "$dir/"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$dir/venv/bin/python" "$here/project.py" "$work"
for era in modern legacy; do
    "$dir/venv/bin/python" "$here/sdk.py" "$era" "$bin/moon-repomix" "$work"
    node "$dir/sdk.mjs" "$era" "$bin/moon-repomix" "$work"
    "$dir/venv/bin/python" "$here/docs.py" "$era" "$bin/crib-mcp" "$bin/examples/crib-host"
    node "$dir/docs.mjs" "$era" "$bin/crib-mcp" "$bin/examples/crib-host"
done
"$dir/venv/bin/python" "$here/judge.py" "$bin/moon-repomix" "$work"
