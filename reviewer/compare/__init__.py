"""One version of a series against another: patches, findings, comments, tags, what the changelog says, numbers."""
