"""`manage.py up`: everything that one machine needs, as children of one process that leave no orphan."""
