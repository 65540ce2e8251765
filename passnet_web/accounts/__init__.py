"""Pages of accounts: logging in and out, one's own account, its password, its API tokens."""
