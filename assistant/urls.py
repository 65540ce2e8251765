"""Addresses of the assistant's pages."""

from django.urls import path

from assistant import pages

urlpatterns = [
    path("batches/", pages.batches, name="batches"),
    path("batches/begin/", pages.begin, name="begin_batch"),
    path("batches/<str:batch_id>/", pages.batch, name="batch"),
    path("batches/<str:batch_id>/change/", pages.change_batch, name="change_batch"),
    path("attempts/", pages.attempts, name="attempts"),
    path("attempts/<str:attempt_id>/", pages.attempt, name="attempt"),
    path("authors/", pages.author, name="own_author"),
    path("authors/<str:name>/", pages.author, name="author"),
]
