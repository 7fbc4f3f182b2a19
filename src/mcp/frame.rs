//! One line in, with a maximum.
//!
//! A line is what stands before an LF, or before the end of input. A CR before the LF belongs to
//! the line end; a byte order mark at the start of a line is dropped; blank lines are nothing. A
//! line over the limit is skipped to its end without being kept, so memory is bounded by the
//! limit whatever a client sends.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// One line of input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The line without its end. Never blank.
    Line(Vec<u8>),
    /// A line over the limit, already skipped.
    TooLong,
}

/// Cuts a byte stream into lines.
pub(super) struct FrameReader<R> {
    input: BufReader<R>,
    limit: usize,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl<R: Read> FrameReader<R> {
    /// Reads lines of at most `limit` bytes, the line end not counted.
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self {
            input: BufReader::with_capacity(64 * 1024, input),
            limit,
        }
    }

    /// The next line that is not blank, `None` at the end of input.
    ///
    /// # Errors
    /// What the stream reports, interruptions excepted.
    pub(super) fn read(&mut self) -> io::Result<Option<Frame>> {
        loop {
            match self.read_any()? {
                Some(Frame::Line(line)) if is_blank(&line) => {}
                other => return Ok(other),
            }
        }
    }

    fn read_any(&mut self) -> io::Result<Option<Frame>> {
        // One byte more than the limit is kept, because it may be the CR of the line end.
        let room = self.limit.saturating_add(1);
        let mut line = Vec::new();
        let mut too_long = false;
        let mut started = false;
        loop {
            let chunk = match self.input.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                other => other?,
            };
            if chunk.is_empty() {
                return Ok(started.then(|| self.finish(line, too_long)));
            }
            started = true;
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            if too_long || line.len() + part.len() > room {
                too_long = true;
                line = Vec::new();
            } else {
                line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(self.finish(line, too_long)));
            }
        }
    }

    fn finish(&self, mut line: Vec<u8>, too_long: bool) -> Frame {
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if too_long || line.len() > self.limit {
            return Frame::TooLong;
        }
        if line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        Frame::Line(line)
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out `data` in pieces of `step` bytes.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn frames(input: &[u8], limit: usize) -> Vec<String> {
        let mut seen: Vec<Vec<String>> = Vec::new();
        for step in [1, 2, 7, 100_000] {
            let mut reader = FrameReader::new(Pieces(input, step), limit);
            let mut list = Vec::new();
            while let Some(frame) = reader.read().unwrap() {
                list.push(match frame {
                    Frame::Line(line) => String::from_utf8_lossy(&line).into_owned(),
                    Frame::TooLong => "<too long>".to_owned(),
                });
            }
            seen.push(list);
        }
        assert!(seen.iter().all(|list| list == &seen[0]), "{seen:?}");
        seen.swap_remove(0)
    }

    #[test]
    fn lines() {
        for (input, expected) in [
            (&b""[..], &[][..]),
            (b"\n\r\n  \t\n", &[]),
            (b"ab\ncd\r\n", &["ab", "cd"]),
            (b"ab\ncd", &["ab", "cd"]),
            (b"\xef\xbb\xbfab\n", &["ab"]),
            (b"\xef\xbb\xbf\nab\n", &["ab"]),
            (b"12345678\nx\n", &["12345678", "x"]),
            (b"12345678\r\nx\n", &["12345678", "x"]),
            (b"123456789\nx\n", &["<too long>", "x"]),
            (b"123456789\r\nx", &["<too long>", "x"]),
            (
                b"12345678901234567890\n\n12345678",
                &["<too long>", "12345678"],
            ),
            (b"12345678901234567890", &["<too long>"]),
            (b"12345678\r\r\n", &["<too long>"]),
            (b"a\rb\n", &["a\rb"]),
        ] {
            assert_eq!(frames(input, 8), expected, "{input:?}");
        }
    }

    #[test]
    fn a_long_line_is_not_kept() {
        let endless = io::repeat(b'x').take(64 << 20);
        let mut reader = FrameReader::new(endless, 1 << 20);
        assert_eq!(reader.read().unwrap(), Some(Frame::TooLong));
        assert_eq!(reader.read().unwrap(), None);
    }
}
