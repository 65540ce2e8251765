"""How a model writes: who is asked, what may be sent, what was said, what it cost. Rows change through
`assistant.actions` only."""

from assistant.models.agent_copy import AgentCopy
from assistant.models.attempt import Attempt
from assistant.models.batch import Batch, BatchItem
from assistant.models.conversation import Conversation, ConversationEvent, Proposal
from assistant.models.evaluation import Evaluation
from assistant.models.marks import Consent, TaskMark
from assistant.models.provider import Provider, ProviderCall

__all__ = [
    "AgentCopy",
    "Attempt",
    "Batch",
    "BatchItem",
    "Consent",
    "Conversation",
    "ConversationEvent",
    "Evaluation",
    "Proposal",
    "Provider",
    "ProviderCall",
    "TaskMark",
]
