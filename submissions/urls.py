"""Addresses of the pages."""

from django.urls import path

from submissions import blind_views, board_views, compare_views, review_views, shared_views, views
from submissions.reports import views as report_views

urlpatterns = [
    path("", views.catalogue, name="catalogue"),
    path("tasks/<str:slug>/", views.workbench, name="workbench"),
    path("graphs/<str:key>/", views.graph, name="graph"),
    path("upload/", views.upload, name="upload"),
    path("boards/", board_views.boards, name="boards"),
    path("boards/import/", board_views.upload, name="import_run"),
    path("boards/import/archive/", board_views.receive, name="receive_run"),
    path("boards/authors/<int:author_id>/", board_views.author, name="board_author"),
    path("boards/authors/<int:author_id>/evaluate/", board_views.evaluate, name="evaluate_author"),
    path("boards/submissions/<int:submission_id>/", board_views.submission, name="submission"),
    path("compare/", compare_views.compare, name="compare"),
    path("compare/task/<str:slug>/", compare_views.of_task, name="compare_task"),
    path("compare/authors/", compare_views.authors, name="compare_authors"),
    path("compare/blind/", blind_views.start, name="blind"),
    path("compare/blind/next/", blind_views.following, name="blind_next"),
    path("compare/blind/<uuid:secret>/", blind_views.pair, name="blind_pair"),
    path("compare/blind/<uuid:secret>/vote/", blind_views.vote, name="blind_vote"),
    path("review/", review_views.review, name="review"),
    path("reports/author/<int:author_id>/", report_views.author, name="author_report"),
    path("reports/benchmark/<str:name>/", report_views.benchmark, name="benchmark_report"),
    path("reports/task/<str:slug>/", report_views.task, name="task_report"),
    path("slower/", views.slower, name="slower"),
    path("s/<str:secret>/", shared_views.shared, name="shared"),
    path("s/<str:secret>/pass_dir.zip", shared_views.shared_zip, name="shared_zip"),
    path("s/<str:secret>/fork/", shared_views.fork, name="fork"),
]
