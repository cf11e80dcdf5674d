"""One mail: bytes to decoded headers and text, subject tags, trailers, quoted blocks; and back to bytes."""
