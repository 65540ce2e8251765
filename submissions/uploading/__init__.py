"""What comes in through the browser: archives of folders, which are read and never run, and texts of modules, which
run in a process that is shut in (`dataset.pasted`), never in one of the web's or the workers'."""
