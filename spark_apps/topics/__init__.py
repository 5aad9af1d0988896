"""The topics of the shop: one YAML file each, named after the topic.

This is a package only so that the files are found by resource name, also when the code runs from an artifact.
"""
