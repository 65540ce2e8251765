"""Addresses of the operations page."""

from django.urls import path

from passnet_web.operations import views

urlpatterns = [
    path("operations/", views.operations, name="operations"),
    path("operations/workers/<str:action>/", views.worker_action, name="worker_action"),
    path("operations/runs/<uuid:run_id>/requeue/", views.requeue, name="requeue"),
]
