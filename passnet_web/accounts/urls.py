"""Addresses of the account pages."""

from django.urls import path
from django.views.generic import RedirectView

from passnet_web.accounts import views

urlpatterns = [
    path("login/", views.log_in, name="login"),
    path("logout/", views.log_out, name="logout"),
    path("account/", views.account, name="account"),
    path("account/password/", views.password, name="password"),
    path("account/tokens/", views.make_token, name="make_token"),
    path("account/tokens/<int:token_id>/revoke/", views.revoke_token, name="revoke_token"),
    # The admin pages' own login knows no limits, and no one-time passwords.
    path("admin/login/", RedirectView.as_view(url="/login/?next=/admin/")),
]
