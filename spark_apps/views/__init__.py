"""The views, one file each. A file in this folder that declares `VIEW` is a view; nothing else lists it."""
