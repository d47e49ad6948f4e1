"""A client of supplierd's API for suppliers of marketplaces."""

from ._client import Answer as Answer, ApiError as ApiError, NoAnswerError as NoAnswerError, SignatureError as SignatureError
from .api import *
