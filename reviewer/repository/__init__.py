"""Git repositories, read without trusting them: objects, refs, history, patches. The only place that imports git.

A repository's own configuration, hooks, attributes and replace refs are never looked at: git works on a folder of ours
that borrows the objects and refs (see `standin`).
"""

from reviewer.repository.repository import Repository
from reviewer.repository.values import MAX_OBJECT, GitObject, MissingObject, PathChange

__all__ = ["MAX_OBJECT", "GitObject", "MissingObject", "PathChange", "Repository"]
