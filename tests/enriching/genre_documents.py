"""Three short documents of each genre, written for this test: (genre, file name, text)."""

DOCUMENTS = [
    (
        "API",
        "orders.md",
        """# Orders API

## Authentication

Send your API key in the `Authorization` header of every request.

## Endpoints

### GET /v1/orders

Returns a page of orders as JSON. Query parameters: `after`, `limit`.

### POST /v1/orders

The request body is an order. Answers `201 Created`, or `422` with an error.

## Errors

| Status code | Meaning |
|---|---|
| 404 | no such order |
""",
    ),
    (
        "API",
        "webhooks.md",
        """# Webhooks

We call your endpoint with a JSON request body whenever a parcel moves.

```http
POST /hooks/parcel HTTP/1.1
Content-Type: application/json
```

## Request body

The field `state` is one of `sent`, `lost`, `found`.

## Responses

Answer with status code 200 within five seconds. Any other HTTP status makes us call the endpoint again.

## Rate limits

At most ten calls a second. Register an endpoint with `POST /v2/webhooks`, remove one with `DELETE /v2/webhooks/{id}`.
""",
    ),
    (
        "API",
        "weather.txt",
        """Weather REST service

Base URL: https://weather.example/v2. All answers are application/json.

GET /v2/stations
  Lists the stations. Query parameters: country, page. Needs an access token.

GET /v2/stations/{id}/readings
  The readings of one station. Query parameters: from, to.

POST /v2/stations/{id}/readings
  Adds a reading. The request body is JSON. 409 Conflict when there is one at that time already.

curl -H "Authorization: Bearer $TOKEN" https://weather.example/v2/stations
""",
    ),
    (
        "architecture",
        "payments.md",
        """# Architecture of the payment system

## Context

Shops send payments; banks answer slowly. The system sits between the two.

## Components

The gateway is stateless and runs in three replicas. It puts every payment on a queue. A worker service takes payments
from the queue, talks to the bank and writes the outcome to the database.

## Data flow

Shop, gateway, queue, worker, database. Nothing goes back the other way but events.

## Trade-offs

We chose at-least-once delivery and rejected two-phase commit: consistency is kept by idempotent writes, and latency
stays low when a replica fails over.
""",
    ),
    (
        "architecture",
        "adr-7.md",
        """# ADR 7: One database per service

## Context

All services share one database. A slow query of the reporting component takes the whole system down.

## Decision

Each service gets a database of its own. They exchange events over the message queue.

## Alternatives considered

A read replica for reporting. We rejected it, because the schema would still be shared between modules.

## Consequences

Throughput rises, availability of one component no longer depends on another, and reports lag by a minute.
""",
    ),
    (
        "architecture",
        "search.md",
        """# How search works inside

## System overview

A crawler, an indexer and a query service. Each is a module that can be deployed alone.

## Storage

The index is partitioned by document over eight nodes, every partition has two replicas, and a load balancer spreads
queries over them. The layers above know nothing of partitions.

## Failure modes

When a node dies, the failover takes four seconds. Throughput halves, latency does not change. The queue between crawler
and indexer holds six hours of documents.

## Scalability

Adding a node moves one partition. The database of metadata is the component that will not scale for ever.
""",
    ),
    (
        "guide",
        "backup-guide.md",
        """# Guide to backups

You should have three copies of everything you cannot make again. This guide shows how to get there.

## Before you begin

Make sure you have a disk twice as large as your library.

## Choosing a place

If you keep the disk at home, keep the second one elsewhere.

## Backing up

1. Connect the disk.
2. Open the settings and choose *Backup*.
3. Select the folders and press *Start*.
4. Wait until the light stops blinking.

## Checking

You can restore one file every month. We recommend a different one each time.
""",
    ),
    (
        "guide",
        "install.md",
        """# Installing the server

## Requirements

A machine with 4 GB of memory and a recent Linux.

## Installation

1. Download the archive.
2. Run `tar xf server.tar.gz`.
3. Copy the folder to `/opt/server`.

## Configuration

You need to set the port before you start it. If you use a proxy, make sure that it passes the host header.

## Upgrading

Stop the server, replace the folder, start it again.
""",
    ),
    (
        "guide",
        "bicycle.txt",
        """How to look after a bicycle

You can do most of this with a rag and two spanners. Make sure that the bicycle stands firmly before you begin.

Cleaning the chain

1. Turn the bicycle upside down.
2. Hold the rag around the chain and turn the pedals backwards.
3. Put one drop of oil on every link.
4. Wipe off what is too much.

If you ride in the rain, you should do it every second week. We recommend thin oil in winter. Check the brakes
afterwards: you must be able to stop with either of them alone.
""",
    ),
    (
        "tutorial",
        "first-plugin.md",
        """# Tutorial: your first plugin

In this tutorial you will build a plugin that counts words.

## What you will learn

How a plugin is loaded, and how it asks for text.

## Step 1: the folder

Let's create a folder and a file in it.

```python
def load(app):
    print("hello")
```

## Step 2: counting

Now that it loads, we will add the counting. You should now see a number beside every note.

## Next steps

Try it with your own notes.
""",
    ),
    (
        "tutorial",
        "sql-lessons.md",
        """# SQL from scratch

## Lesson 1: a table

Let's create a table of birds. By the end of this lesson you will have seen all of them.

```sql
CREATE TABLE bird (name TEXT, weight REAL);
```

You should see the word *OK*.

## Lesson 2: asking

We'll use `SELECT` to find the heavy ones.

```sql
SELECT name FROM bird WHERE weight > 2;
```

## Exercises

Find the lightest. Congratulations, you can ask a database questions.
""",
    ),
    (
        "tutorial",
        "loom.txt",
        """Weaving a scarf: a walkthrough for beginners

In this tutorial we will make a plain scarf on a small loom. By the end you will know three knots.

Step 1. The warp. Let's start with the long threads. We will use wool, because it forgives.

Step 2. The weft. Now that the warp is tight, pass the shuttle from left to right. You should now see a line of wool.

Step 3. The edge. Let's finish the edge with the second knot. Try it on a spare thread first.

Congratulations, it is a scarf.
""",
    ),
    (
        "troubleshooting",
        "printer.md",
        """# Troubleshooting the printer

## The printer does not start

Symptom: the light stays dark. Cause: the fuse. Fix: replace it and check that the cable sits firmly.

## Pages come out empty

Possible causes: the cartridge is empty, or its seal was not removed. Solution: take it out and look.

## Error code E-12

The error message means a jam. If the problem persists, call support.
""",
    ),
    (
        "troubleshooting",
        "sync.md",
        """# When syncing fails

## Error: connection timed out

The client cannot reach the server. Check whether the firewall lets port 443 through. Workaround: use the other network.

## Error: clock differs

The root cause is nearly always a dead battery. To fix this, set the clock and restart.

## Files do not appear

The upload failed without an error message. Look for `stack trace` in the log; the cause is named in its last line.
""",
    ),
    (
        "troubleshooting",
        "heating.txt",
        """The heating is cold

Symptom: the radiator on the top floor stays cold.
Cause: air in the pipes.
Remedy: open the valve until water comes.

Symptom: the boiler stops after a minute.
Cause: the pressure is below one bar.
Remedy: fill up to 1.5 bar. If the problem persists, the valve leaks.

Symptom: the display shows error code F28.
Cause: no gas.
Remedy: check whether the tap is open.
""",
    ),
    (
        "reference",
        "options.md",
        """# Configuration reference

## Options

| Option | Type | Default |
|---|---|---|
| `port` | integer | 8080 |
| `host` | text | 127.0.0.1 |
| `verbose` | truth value | no |

`port`: optional, defaults to 8080. `host`: required, accepts a name or an address.

## Environment

`SERVER_PORT` overrides `port`. Valid values: 1 to 65535.

## See also

The command line.
""",
    ),
    (
        "reference",
        "grep.txt",
        """SEARCHTEXT(1)

NAME
    searchtext - find lines in files

SYNOPSIS
    searchtext [--count] [--ignore-case] PATTERN FILE...

OPTIONS
    --count         print the number of lines. Optional, default: off.
    --ignore-case   optional, default: off.
    --after N       required type: integer. Default: 0. Valid values: 0 to 99.

EXIT STATUS
    Returns 0 when a line was found, 1 when none was. Deprecated: 2.
""",
    ),
    (
        "reference",
        "strings.md",
        """# String functions

## Syntax

`name(text, ...)`. Arguments in brackets are optional.

## Functions

`upper(text)` returns the text in capitals. `pad(text, width, [mark])`: `width` is required, `mark` is optional and
defaults to a blank. `cut(text, at)` returns two parts; deprecated, use `split`.

## Return values

Every function returns text. Type: text. Default value: empty.

## Constants

`EMPTY`, `BLANK`.
""",
    ),
    (
        "policy",
        "leave-policy.md",
        """# Leave policy

## Scope

This policy applies to all employees. It is subject to the law of the country in which they work.

## Responsibilities

1.1 Every employee shall ask for leave two weeks ahead.
1.2 The manager must answer within three days.
1.3 Leave must not be refused without a reason.
1.4 A breach of this policy may lead to disciplinary measures.

## Review

The policy is reviewed every year for compliance.
""",
    ),
    (
        "policy",
        "contract.txt",
        """Supply contract

This agreement is made between the parties named below.

Article 1 Subject
The supplier shall deliver paper in accordance with Annex A.

Article 2 Price
The price is fixed. Neither party shall be liable for taxes of the other.

Article 3 Termination
Either party may terminate this agreement with three months' notice, notwithstanding Article 2. Liability for breach is
limited to the price. The governing law is that of the buyer's country.
""",
    ),
    (
        "policy",
        "privacy.md",
        """# Privacy notice

## Purpose

We process personal data in accordance with the regulation. You are entitled to see what we keep.

## Definitions

"Personal data" shall mean whatever tells who you are.

## Third parties

Personal data must not be given to third parties without consent, subject to the law. A breach is
reported within 72 hours.

## Enforcement

Complaints go to the authority. Liability is limited as the law provides.
""",
    ),
    (
        "paper",
        "swim.md",
        """# Duckling formation and the cost of swimming

## Abstract

We show that ducklings in a row spend less energy. Our results agree with Fish et al. (1994).

## 1 Introduction

Drag has been studied since [1, 2]. We propose a model of waves behind the mother [3].

## 2 Method

We evaluate the model on two datasets.

## 3 Results

The third duckling saves 63 percent (p < 0.01).

## 4 Conclusion

Prior work missed the wave [4].

## References

[1] Fish, F. Kinematics of ducklings. 1994.
""",
    ),
    (
        "paper",
        "sorting.md",
        """# Sorting with little memory

**Abstract.** In this paper we present a sorting method that needs half the memory of the state of the art.

## Introduction

Sorting is old (Knuth, 1973). Later work (Bentley and McIlroy, 1993) is faster.

## Related work

See (Sedgewick, 1978) and (Musser, 1997) for surveys.

## Experiments

Our method is compared with three baselines on five datasets.

## Discussion

The differences are statistically significant.
""",
    ),
    (
        "paper",
        "cough.txt",
        """Honey against night cough in children: a randomised trial

Abstract

We report a trial with 105 children. doi:10.1000/cough.7

Introduction

Cough is common [1]. Honey has been used for long [2-4], and earlier trials were small [5].

Methods

Participants got honey, syrup or nothing. The study was approved.

Results

Honey was better than nothing (p < 0.001) and not worse than syrup [6].

Discussion

In this study we find that honey helps. Our results agree with Paul et al.
""",
    ),
    (
        "meeting",
        "minutes.md",
        """# Minutes of the garden committee, 4 May

## Attendees

Ada, Ben, Chloe. Apologies: Dan.

## Agenda

The fence. The pond.

## Decisions

The meeting was opened at seven. It was agreed to paint the fence green.

## Action items

Ben buys paint, due on 12 May. Next meeting: 8 June.
""",
    ),
    (
        "meeting",
        "sync.txt",
        """Weekly, 12 March

Priya: The release is ready, but the notes are not.
Tom: I can write them until Thursday.
Priya: Good. What about the server?
Tom: It was slow on Monday. I looked, and found nothing.
Ines: We had the same last year.
Priya: Then let us watch it for a week.
Ines: Agreed. I take that.
Tom: Anything else?
Ines: No.
""",
    ),
    (
        "meeting",
        "standup.md",
        """# Standup 2026-03-02

Participants: Lotte, Marek.

- Lotte: the import is done, tests follow today.
- Marek: on call, two alarms.

Action items: Marek writes down what the alarms were, due by Friday. It was agreed to skip Wednesday.
""",
    ),
    (
        "log",
        "server.log",
        "\n".join(
            f"2026-05-04 12:{minute:02d}:07,113 {level} worker-{minute % 3} request {minute} took {minute * 7} ms"
            for minute, level in zip(range(30), ["INFO", "WARN", "INFO"] * 10, strict=True)
        ),
    ),
    (
        "log",
        "access.txt",
        "\n".join(f'10.0.0.{at} - - [04/May/2026:12:00:{at:02d} +0000] "GET /a HTTP/1.1" 200 51' for at in range(20)),
    ),
    (
        "log",
        "boot.txt",
        "\n".join(f"May  4 12:00:{at:02d} heron kernel: usb 1-{at}: new device found" for at in range(15))
        + "\n    at the end of the bus\n    nothing more\n",
    ),
    ("code", "sort.py", "def sort(items):\n    '''Sorted.'''\n    return sorted(items)\n"),
    ("code", "main.go", 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("hello")\n}\n'),
    ("code", "area.js", "export function area(width, height) {\n  return width * height;\n}\n"),
    (
        "FAQ",
        "faq.md",
        """# Frequently asked questions

## Can I use it offline?

Yes.

## How much does it cost?

Nothing.

## Where are my files?

Where you put them.
""",
    ),
    (
        "FAQ",
        "questions.md",
        """# About the library card

## Who can get a card?

Everybody who lives here.

## What does it cost?

Ten a year, nothing for children.

## How long may I keep a book?

Four weeks.

## What if I lose it?

You pay for it.
""",
    ),
    (
        "FAQ",
        "qa.txt",
        """The new timetable

Q: When does it start?
A: On 1 June.

Q: Do the old tickets still hold?
A: Until the end of the year.

Q: Why is there no bus on Sunday?
A: Too few people took it.
""",
    ),
    (
        "release notes",
        "CHANGELOG.md",
        """# Changelog

## 2.1.0 (2026-04-02)

### Added

- Export as CSV.

### Fixed

- The clock no longer stops.

## 2.0.0 (2026-01-10)

### Removed

- The old importer. Breaking change.
""",
    ),
    (
        "release notes",
        "whats-new.md",
        """# What's new in Heron 4.3

In this release gateways answer faster.

## New features

- Added a quiet hour.
- Added a second alarm.

## Bug fixes

- Fixed a crash at midnight.
- Fixed the colour of the light.

Upgrade to 4.3 before June: 4.1 is no longer supported.
""",
    ),
    (
        "release notes",
        "history.txt",
        """Release history

Version 1.4.2, released on 3 March 2026
- Fixed: the list was empty after a restart.
- Fixed: dates before 1970.
- Changed: smaller icons.

Version 1.4.1, released on 1 February 2026
- Added: Korean.
- Removed: the toolbar.
""",
    ),
    (
        "other",
        "poem.txt",
        """Evening

The river has put on its grey again,
and on the bank two herons stand and think.
""",
    ),
    (
        "other",
        "letter.txt",
        """Dear aunt,

thank you for the parcel. The socks fit and the cake did not see the evening. It has rained here for a week, the
cellar is wet, and the cat sleeps on the piano.

Love,
Tom
""",
    ),
    (
        "other",
        "ducks.md",
        """# Ducks

Ducks are water birds. They are smaller than swans and geese, and are found in fresh water and at the sea.

## Etymology

The word comes from a verb that means to dive.

## Feeding

They eat grasses, insects and small fish.
""",
    ),
]
