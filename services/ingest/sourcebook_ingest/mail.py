"""Mail through the server of the settings, by the standard library: call it in a thread."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage

import certifi

from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.settings import Settings

_SECONDS = 20.0
_FOR_GOOD = 500  # RFC 5321, 4.2.1: 5xx says that it will be so again


def send(settings: Settings, letter: EmailMessage) -> None:
    """Send one mail. Raises TransientError `handover_failed` while the server is away or busy, PermanentError when it refuses for good,
    or none is set."""
    to = str(letter["To"])
    if settings.smtp_host is None:
        raise PermanentError("handover_failed", to=to, why="no mail server is set (SOURCEBOOK_SMTP_HOST).")
    try:
        with _connected(settings) as server:
            if settings.smtp_user:
                password = settings.smtp_password.get_secret_value() if settings.smtp_password else ""
                server.login(settings.smtp_user, password)
            server.send_message(letter)
    except smtplib.SMTPRecipientsRefused as refused:
        codes = [code for code, _ in refused.recipients.values()]
        raise _refusal(to, max(codes, default=0), "the mail server does not take this address.") from None
    except smtplib.SMTPResponseException as refused:
        raise _refusal(to, refused.smtp_code, f"the mail server refused it ({refused.smtp_code}).") from None
    except (smtplib.SMTPException, OSError) as error:
        raise TransientError("handover_failed", to=to, why=f"the mail server cannot be used ({type(error).__name__}).") from None


def _refusal(to: str, code: int, why: str) -> TransientError | PermanentError:
    return (PermanentError if code >= _FOR_GOOD else TransientError)("handover_failed", to=to, why=why)


def _connected(settings: Settings) -> smtplib.SMTP:
    assert settings.smtp_host is not None
    context = ssl.create_default_context(cafile=certifi.where())
    if settings.smtp_tls == "tls":
        return smtplib.SMTP_SSL(settings.smtp_host, settings.smtp_port, timeout=_SECONDS, context=context)
    server = smtplib.SMTP(settings.smtp_host, settings.smtp_port, timeout=_SECONDS)
    if settings.smtp_tls == "starttls":
        server.starttls(context=context)
    return server
