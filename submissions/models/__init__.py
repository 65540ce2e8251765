"""Who handed in what, and what became of it. Rows change through `submissions.actions` only."""

from submissions.models.baseline import Baseline, BaselineRun
from submissions.models.blind import BlindPair, BlindVote
from submissions.models.handed_in import ReportedLog, Submission
from submissions.models.imported import Bundle, ImportedRun
from submissions.models.output import RunOutput
from submissions.models.people import ApiToken, AuditEntry, Author, RateCount
from submissions.models.review import (
    RegressionCase,
    ReviewChange,
    ReviewComment,
    ReviewDraft,
    ReviewItem,
    ReviewLabel,
    ReviewStep,
)
from submissions.models.search import SavedSearch
from submissions.models.share import Share
from submissions.models.upload import OwnedTask, Upload
from submissions.models.work import (
    LIVE_STATES,
    OPEN_STATES,
    Device,
    Draft,
    Lane,
    Lease,
    Revision,
    Run,
    RunEvent,
    RunReview,
)
from submissions.models.workers import Tally, Worker

__all__ = [
    "LIVE_STATES",
    "OPEN_STATES",
    "ApiToken",
    "AuditEntry",
    "Author",
    "Baseline",
    "BaselineRun",
    "BlindPair",
    "BlindVote",
    "Bundle",
    "Device",
    "Draft",
    "ImportedRun",
    "Lane",
    "Lease",
    "OwnedTask",
    "RateCount",
    "RegressionCase",
    "ReportedLog",
    "ReviewChange",
    "ReviewComment",
    "ReviewDraft",
    "ReviewItem",
    "ReviewLabel",
    "ReviewStep",
    "Revision",
    "Run",
    "RunEvent",
    "RunOutput",
    "RunReview",
    "SavedSearch",
    "Share",
    "Submission",
    "Tally",
    "Upload",
    "Worker",
]
