"""Addresses of the pages."""

from django.urls import path

from submissions import shared_views, views

urlpatterns = [
    path("", views.catalogue, name="catalogue"),
    path("tasks/<str:slug>/", views.workbench, name="workbench"),
    path("graphs/<str:key>/", views.graph, name="graph"),
    path("upload/", views.upload, name="upload"),
    path("slower/", views.slower, name="slower"),
    path("s/<str:secret>/", shared_views.shared, name="shared"),
    path("s/<str:secret>/pass_dir.zip", shared_views.shared_zip, name="shared_zip"),
    path("s/<str:secret>/fork/", shared_views.fork, name="fork"),
]
