"""Forms of the account pages."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from submissions.actions.tokens import LONGEST_DAYS
from submissions.tokens import Scope

LONGEST_PASSWORD = 1000  # characters: hashing a longer one would only cost time


class LoginForm(forms.Form):
    username = forms.CharField(max_length=150)
    password = forms.CharField(max_length=LONGEST_PASSWORD, strip=False)


class PasswordForm(forms.Form):
    """The password that an account chooses itself."""

    current = forms.CharField(max_length=LONGEST_PASSWORD, strip=False)
    new = forms.CharField(max_length=LONGEST_PASSWORD, strip=False)
    again = forms.CharField(max_length=LONGEST_PASSWORD, strip=False)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_current(self) -> str:
        current: str = self.cleaned_data["current"]
        if not self.user.check_password(current):
            raise ValidationError("This is not the password you logged in with.")
        return current

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        new = cleaned.get("new")
        if new is None:
            return cleaned
        if cleaned.get("again") != new:
            self.add_error("again", "The two new passwords differ.")
        if new == cleaned.get("current"):
            self.add_error("new", "The new password must differ from the old one.")
        try:
            validate_password(new, self.user)
        except ValidationError as problem:
            self.add_error("new", problem)
        return cleaned


class TokenForm(forms.Form):
    name = forms.CharField(max_length=80)
    scope = forms.ChoiceField(choices=[(scope.value, scope.value) for scope in Scope])
    days = forms.IntegerField(min_value=1, max_value=LONGEST_DAYS)
