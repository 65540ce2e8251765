"""One function for each way a row changes. Pages, the API, workers and the caretaker all go through these."""
