# What AWS would say: the provider checks the form of names even when it is mocked.

mock_resource "aws_iam_role" {
  defaults = {
    arn = "arn:aws:iam::123456789012:role/example"
  }
}

mock_resource "aws_kms_key" {
  defaults = {
    arn = "arn:aws:kms:eu-central-1:123456789012:key/example"
  }
}

mock_resource "aws_cloudwatch_log_group" {
  defaults = {
    arn = "arn:aws:logs:eu-central-1:123456789012:log-group:example"
  }
}

mock_resource "aws_msk_cluster" {
  defaults = {
    arn                          = "arn:aws:kafka:eu-central-1:123456789012:cluster/example/0a1b2c3d-0000-0000-0000-000000000000-1"
    bootstrap_brokers_sasl_scram = "b-1.example:9096,b-2.example:9096,b-3.example:9096"
    bootstrap_brokers_sasl_iam   = "b-1.example:9098,b-2.example:9098,b-3.example:9098"
  }
}

mock_resource "aws_msk_configuration" {
  defaults = {
    arn = "arn:aws:kafka:eu-central-1:123456789012:configuration/example/0a1b2c3d-0000-0000-0000-000000000000-1"
  }
}

mock_resource "aws_secretsmanager_secret" {
  defaults = {
    arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:example-0a1b2c"
  }
}

mock_resource "aws_s3_bucket" {
  defaults = {
    arn = "arn:aws:s3:::example"
  }
}

mock_resource "aws_sns_topic" {
  defaults = {
    arn = "arn:aws:sns:eu-central-1:123456789012:example"
  }
}

mock_resource "aws_emrserverless_application" {
  defaults = {
    arn = "arn:aws:emr-serverless:eu-central-1:123456789012:/applications/00example"
    id  = "00example"
  }
}

mock_resource "aws_mskconnect_custom_plugin" {
  defaults = {
    arn = "arn:aws:kafkaconnect:eu-central-1:123456789012:custom-plugin/example/0a1b2c3d-0000-0000-0000-000000000000-1"
  }
}

mock_resource "aws_mskconnect_worker_configuration" {
  defaults = {
    arn = "arn:aws:kafkaconnect:eu-central-1:123456789012:worker-configuration/example/0a1b2c3d-0000-0000-0000-000000000000-1"
  }
}

mock_resource "aws_db_instance" {
  defaults = {
    address            = "example.rds.amazonaws.com"
    master_user_secret = [{ secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:rds!example", kms_key_id = "", secret_status = "active" }]
  }
}

mock_resource "aws_mwaa_environment" {
  defaults = {
    webserver_url = "example.airflow.amazonaws.com"
  }
}

mock_data "aws_caller_identity" {
  defaults = {
    account_id = "123456789012"
  }
}

mock_resource "aws_iam_policy" {
  defaults = {
    arn = "arn:aws:iam::123456789012:policy/example"
  }
}
