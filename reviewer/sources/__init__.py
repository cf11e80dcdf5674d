"""Where mail comes from: files, archives and standard input, streamed as raw mails."""

from reviewer.sources.raw import MAX_MAIL, MAX_UNPACKED, RawMail
from reviewer.sources.read import is_fetched, read_sources

__all__ = ["MAX_MAIL", "MAX_UNPACKED", "RawMail", "is_fetched", "read_sources"]
