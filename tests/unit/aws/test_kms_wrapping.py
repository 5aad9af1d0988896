"""The keys of people, wrapped by KMS as moto plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.exceptions import ClientError

from headwater.people.kms_wrapping import KmsWrapping
from headwater.people.wrapping import Wrapping, wrapping_of

if TYPE_CHECKING:
    from headwater.settings import Settings


@pytest.fixture
def wrapping(settings: Settings) -> Wrapping:
    kms = boto3.client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.create_alias(AliasName="alias/headwater-test-erasure", TargetKeyId=key)
    return wrapping_of(settings)


def test_environment_on_aws_wraps_with_kms(wrapping: Wrapping) -> None:
    assert isinstance(wrapping, KmsWrapping)


@pytest.mark.parametrize("size", [1, 64, 100_000])  # KMS itself takes 4096 bytes at most
def test_secret_of_any_size_comes_back(wrapping: Wrapping, size: int) -> None:
    wrapped = wrapping.wrap("anna", b"s" * size)
    assert b"s" * min(size, 16) not in wrapped or size == 1
    assert wrapping.unwrap("anna", wrapped) == b"s" * size


def test_what_was_wrapped_for_one_person_is_not_unwrapped_for_another(wrapping: Wrapping) -> None:
    with pytest.raises(ClientError):
        wrapping.unwrap("bert", wrapping.wrap("anna", b"secret"))


def test_same_secret_never_looks_the_same_twice(wrapping: Wrapping) -> None:
    assert wrapping.wrap("anna", b"secret") != wrapping.wrap("anna", b"secret")
