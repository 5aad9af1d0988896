variables {
  instance = {
    name       = "example"
    home       = "/srv/example"
    python     = "/srv/venv/bin/python"
    repository = "/srv/repository"
    jvm        = "0"
  }
  port            = 20091
  controller_port = 20095
}

run "listens_on_loopback_only" {
  command = plan

  assert {
    condition     = strcontains(output.part.files["kafka/kafka-1.properties"], "listeners=CLIENT://127.0.0.1:20091,CONTROLLER://127.0.0.1:20095")
    error_message = "Both listeners belong on loopback."
  }
}

run "lets_nobody_in_without_a_password_and_an_acl" {
  command = plan

  assert {
    condition = alltrue([for line in [
      "listener.security.protocol.map=CONTROLLER:SASL_PLAINTEXT,CLIENT:SASL_PLAINTEXT",
      "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
      "allow.everyone.if.no.acl.found=false",
      "auto.create.topics.enable=false",
      "super.users=User:broker;User:admin",
    ] : strcontains(output.part.files["kafka/kafka-1.properties"], "${line}\n")])
    error_message = "Authentication and ACLs are on from the first start."
  }
}

run "holds_no_secret" {
  command = plan

  assert {
    condition     = length(regexall("password=\"@\\{kafka\\.broker\\}\"", output.part.files["kafka/kafka-1.properties"])) == 2
    error_message = "Passwords are placeholders until the file is written."
  }
}

run "replicates_with_three_brokers" {
  command = plan
  variables { brokers = 3 }

  assert {
    condition     = output.bootstrap_servers == "127.0.0.1:20091,127.0.0.1:20092,127.0.0.1:20093" && length(output.part.programs) == 3
    error_message = "Three brokers are three programs on three ports."
  }

  assert {
    condition = alltrue([for line in ["offsets.topic.replication.factor=3", "transaction.state.log.min.isr=2", "min.insync.replicas=2"]
    : strcontains(output.part.files["kafka/kafka-3.properties"], "${line}\n")])
    error_message = "With three brokers, internal topics survive the loss of one."
  }
}

run "rejects_two_brokers" {
  command = plan
  variables { brokers = 2 }
  expect_failures = [var.brokers]
}

run "rejects_a_controller_port_among_the_clients_ports" {
  command = plan
  variables { controller_port = 20092 }
  expect_failures = [var.controller_port]
}

run "rejects_a_heap_without_a_unit" {
  command = plan
  variables { heap = "448" }
  expect_failures = [var.heap]
}
