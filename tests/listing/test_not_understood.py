"""What a person mistypes, or takes from another dialect, is told with line and words, or read; never lost."""
# ruff: noqa: E501 - each example is a line

from __future__ import annotations

from io import BufferedReader, BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.ddl import NOT_UNDERSTOOD
from zmon.listing.listing import Listing, ListingError, read_listing

DB2 = "CREATE TABLESPACE GOOD PAGESIZE 4K MANAGED BY DATABASE USING (FILE '/db/good' 100);\n"
ORACLE = "CREATE TABLESPACE good DATAFILE '/db/good.dbf' SIZE 10M;\n"
LISTED = """\
           Tablespaces for Current Database
 Tablespace ID                        = 0
 Name                                 = SYSCATSPACE
 Number of containers                 = 1
 Tablespace ID                        = 3
 Name                                 = TS3
 Number of containers                 = 1
            Tablespace Containers for Tablespace 0
 Container ID                         = 0
 Name                                 = /db/syscat
 Type                                 = File
"""
CONTAINER = """\
            Tablespace Containers for Tablespace 3
 Container ID                         = 0
 Name                                 = /db/ts3
 Type                                 = File
"""
SPOOL = "TABLESPACE_NAME,CONTENTS\nGOOD,PERMANENT\nFILE_NAME,TABLESPACE_NAME,BYTES\n/db/good,GOOD,100\n"
MON = "TBSP_NAME,CONTAINER_NAME,TOTAL_PAGES,TBSP_PAGE_SIZE\nGOOD,/db/good,10,4096\n"
DB2PD = """\
Database Partition 0 -- Database D -- Active -- Up 0 days

Tablespace Configuration:
Address            Id    Type Content PageSz ExtentSz Auto Prefetch BufID BufIDDisk FSC NumCntrs MaxStripe  Name
0x0000000200A10000 3     DMS  Large   4096   32       Yes  32       1     1         Off 1        0          TS3

Containers:
Address            TspId ContainNum Type    TotalPgs   UseablePgs PathID     StripeSet  Container
0x0000000200A20000 3     0          File    100        96         -          0          /db/good
"""


def read(text: str) -> Listing:
    return read_listing("-", standard_input=BufferedReader(BytesIO(text.encode())), machine="m")


def paths(listing: Listing, tablespace: str) -> list[str]:
    return [row.path for row in listing.containers if row.tablespace == tablespace and not row.problem]


POSTGRESQL = "CREATE TABLESPACE good OWNER joe LOCATION '/db/good';\n"


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        *((line, ORACLE) for line in (
            "PROMPT don't", "REM it's", "Remark it's", "HOST echo it's", "!echo it's", "SPOOL it's", "TTITLE it's",
            "DEFINE a = it's", "SET SQLPROMPT it's", "CONNECT joe/it's", "# don't", "EXEC x('y')\nPROMPT don't",
        )),
        *((line, DB2) for line in ("ECHO it's A;", "! echo it's", "# it's", "-- it's")),
        *((line, POSTGRESQL) for line in (
            r"\echo it's on", r"\connect it's", r"\! it's", "SELECT $$it's$$;", r"SELECT E'it\'s';",
            "COPY a.b (c, d) FROM stdin;\nit's\t1\n\\.", "/* don't /* nested */ don't */", "DO $a$ it's; $$ $a$;",
        )),
    ],
)  # fmt: skip
def test_an_apostrophe_in_what_is_no_sql_hides_nothing(line: str, statement: str) -> None:
    """Commands of the client and comments end where they end; what follows is read, and nothing is noted."""
    found = read(f"{line}\n{statement}{line}\n{statement.replace('good', 'b').replace('GOOD', 'B')}")
    assert [(row.tablespace.upper(), row.problem) for row in found.containers] == [("GOOD", ""), ("B", "")]
    assert (found.notes, found.unread) == ((), ())


@pytest.mark.parametrize(
    ("before", "mistyped", "words"),
    [
        # statements of Db2
        (DB2, "CREATE REGULAR TABLESPAC X MANAGED BY DATABASE USING (FILE '/x' 1);", "TABLESPAC X"),
        (DB2, "CREATE REGULR TABLESPACE X MANAGED BY DATABASE USING (FILE '/x' 1);", "REGULR"),
        (DB2, "CRATE TABLESPACE X MANAGED BY DATABASE USING (FILE '/x' 1);", "CRATE"),
        (DB2, "CREATE TABLE SPACE X MANAGED BY DATABASE USING (FILE '/x' 1);", "TABLE SPACE"),
        (DB2, 'CREATE TABLE SPACE "X" MANAGED BY DATABASE USING (FILE \'/x\' 1);', "TABLE SPACE"),
        (DB2, "CREATE REGULARTABLESPACE X MANAGED BY DATABASE USING (FILE '/x' 1);", "REGULARTABLESPACE"),
        (DB2, "CREATE TABELSPACE X MANAGED BY SYSTEM USING ('/x');", "TABELSPACE"),
        (DB2, "CREATE TABLESPCE X MANAGED BY SYSTEM USING ('/x');", "TABLESPCE"),
        (DB2, "CREATE LARGETABLESPACE X MANAGED BY SYSTEM USING ('/x');", "LARGETABLESPACE"),
        (DB2, "CREATE LARGE TABLESPACES X MANAGED BY SYSTEM USING ('/x');", "TABLESPACES"),
        (DB2, "CREATE USER TEMPORARY TABLESPAC X MANAGED BY SYSTEM USING ('/x');", "TABLESPAC X"),
        (DB2, "CREATE SYSTEM TEMPORAY TABLESPACE X MANAGED BY SYSTEM USING ('/x');", "TEMPORAY"),
        (DB2, "CREATE LOB TABLESPACE X IN DSNDB04;", "LOB TABLESPACE"),
        (DB2, "CREATE BIGFILE TABLESPACE X DATAFILE '/x' SIZE 1G;", "BIGFILE"),
        (DB2, "CREATE TABLESPACE;", "CREATE TABLESPACE"),
        (DB2, "ALTR TABLESPACE GOOD ADD (FILE '/x' 1);", "ALTR"),
        (DB2, "ATLER TABLESPACE GOOD ADD (FILE '/x' 1);", "ATLER"),
        (DB2, "ALTER TABLESPAEC GOOD ADD (FILE '/x' 1);", "TABLESPAEC"),
        (DB2, "ALTER TABLE SPACE GOOD ADD (FILE '/x' 1);", "TABLE SPACE GOOD"),
        (DB2, "DROP TABLESPAC GOOD;", "TABLESPAC GOOD"),
        (DB2, "RENAME TABLESPCE GOOD TO BETTER;", "TABLESPCE"),
        (DB2, "SET TABLESPACE CONTAINERS FOR 3 USING (FILE '/x' 100);", "SET TABLESPACE"),
        (DB2, "CREATE TABLESPACE X PAGESIZE 4K MANAGED BY DATABASE USNIG (FILE '/x' 1);", "USNIG"),
        (DB2, "CREATE TABLESPACE X PAGESIZE 4K MANAGED BY DATABASE USING (FIEL '/x' 1);", "FIEL"),
        (DB2, "CREATE TABLESPACE X PAGESZIE 4K MANAGED BY DATABASE USING (FILE '/x' 1);", "PAGESZIE"),
        (DB2, "CREATE TABLESPACE X DATAFLE '/x' SIZE 1G;", "DATAFLE"),
        (DB2, "CREATE TABLESPACE X DATAFILE '/x' SIZE 1G;", "/x"),
        (DB2, "CREATE TABLESPACE X MANAGED BY DATABASE USING (FILE '/x 100);", "never closed"),
        (DB2, "ALTER TABLESPACE GOOD AD (FILE '/x' 100);", "/x"),
        (DB2, "CREATE TABLESPACE X PAGESIZE 4K MANAGED BY DATABASE USING (FILE '/x' 1,000);", "000"),
        (DB2, "ssh h db2 list; db2 create tablespace x managed by system using (/x)", "create tablespace x"),
        (DB2, "ECHO it's\n; x don't\nCREATE TABLESPACE X MANAGED BY SYSTEM USING ('/x');", "CREATE TABLESPACE X"),
        (DB2, "/* old:\nCREATE TABLESPACE X MANAGED BY SYSTEM USING ('/x');", 'never closed: "old:'),
        (DB2, "CREATE RE", "CREATE RE"),
        (DB2, "CREATE TABLESPACE X MANAGED BY SYSTEM USING (", "may be cut"),
        # statements of Oracle
        (ORACLE, "BEGIN\n EXECUTE IMMEDIATE 'CREATE TABLESPACE x DATAFILE ''/x''';\nEND;\n/", "TABLESPACE x"),
        (ORACLE, "source /more/second.sql", "second.sql"),
        (ORACLE, "\\. second.sql", "second.sql"),
        (ORACLE, "EXEC y('CREATE TABLESPACE x DATAFILE ''/x''')", "EXEC y"),
        (ORACLE, "HOST echo \"create tablespace x datafile '/x';\" | sqlplus / as sysdba", "create tablespace x"),
        (ORACLE, "echo \"create tablespace x datafile '/x';\" | sqlplus / as sysdba", "create tablespace x"),
        (POSTGRESQL, "psql -c \"CREATE TABLESPACE x LOCATION '/x'\"", "CREATE TABLESPACE x"),
        (POSTGRESQL, "\\i more.sql", "more.sql"),
        (POSTGRESQL, "COPY a (b) FROM stdin;\nit's\n", "never ended"),
        (POSTGRESQL, "DO $$ BEGIN EXECUTE 'CREATE TABLESPACE x LOCATION ''/x'''; END $$;", "CREATE TABLESPACE x"),
        (ORACLE, "CREATE BIGFLE TABLESPACE x DATAFILE '/x' SIZE 1G;", "BIGFLE"),
        (ORACLE, "CREATE TABLESPCE x DATAFILE '/x' SIZE 1G;", "TABLESPCE"),
        (ORACLE, "CRAETE TABLESPACE x DATAFILE '/x' SIZE 1G;", "CRAETE"),
        (ORACLE, "CREATE TABLE SPACE x DATAFILE '/x' SIZE 1G;", "TABLE SPACE"),
        (ORACLE, "CREATE UNDOO TABLESPACE x DATAFILE '/x' SIZE 1G;", "UNDOO"),
        (ORACLE, "CREATE TEMPORARY TABLESPACS x TEMPFILE '/x' SIZE 1G;", "TABLESPACS"),
        (ORACLE, "ALTER TABLESPACE good ADD DATAFLE '/x' SIZE 1G;", "DATAFLE"),
        (ORACLE, "ALTER TABLESPACE good AD DATAFILE '/x' SIZE 1G;", "/x"),
        (ORACLE, "ALTER TABLSPACE good ADD DATAFILE '/x' SIZE 1G;", "TABLSPACE"),
        (ORACLE, "CREATE TABLESPACE x DATAFLE '/x' SIZE 1G;", "DATAFLE"),
        (ORACLE, "CREATE TEMPORARY TABLESPACE x TEMPFIEL '/x' SIZE 1G;", "TEMPFIEL"),
        (ORACLE, "CREATE TABLESPACE x DATAFILE /u01/x.dbf SIZE 1G;", "in 'quotes'"),
        (ORACLE, 'CREATE TABLESPACE x DATAFILE "/u01/x.dbf" SIZE 1G;', "in 'quotes'"),
        (ORACLE, "CREATE TABLESPACE x DATAFILE +DATA SIZE 1G;", "in 'quotes'"),
        (ORACLE, "CREATE TABLESPACE x DATAFILE '/x' SIZ 10G;", "SIZ"),
        (ORACLE, "CREATE TABLESPACE x DATAFILE '/x' SIZE 1.5G;", "1.5"),
        (ORACLE, "CREATE TABLESPACE x LOCATION '/x';", "/x"),
        (ORACLE, "CREATE TABLESPACE x MANAGED BY DATABASE USING (FILE '/x' 100);", "/x"),
        (ORACLE, "ALTER DATABASE ADD LOGFLE '/x' SIZE 1G;", "LOGFLE"),
        (ORACLE, "RENAME TABLESPACE good TO better;", "RENAME TABLESPACE"),
        (ORACLE, "ALTER DATABSE ADD LOGFILE GROUP 4 ('/x') SIZE 1G;", "DATABSE"),
        (ORACLE, "ALTR DATABASE ADD LOGFILE GROUP 4 ('/x') SIZE 1G;", "ALTR"),
        (ORACLE, "CREATE CONTROLFIEL REUSE DATABASE d LOGFILE GROUP 1 '/x' SIZE 1G;", "CONTROLFIEL"),
        (ORACLE, "ALTER DATABASE ADD LOGFILE GRUOP 4 ('/x') SIZE 1G;", "GRUOP"),
        (ORACLE, "ALTER DATABASE AD LOGFILE GROUP 4 ('/x') SIZE 1G;", "/x"),
        (ORACLE, "ALTER DATABASE RENAME FIEL '/db/good.dbf' TO '/db/new.dbf';", "FIEL"),
        (ORACLE, "ALTER DATABASE DATAFILE '/db/good.dbf' RESZIE 20G;", "RESZIE"),
        (ORACLE, "@second.sql", "second.sql"),
        (ORACLE, "@@third", "third"),
        (ORACLE, "@?/rdbms/admin/fourth a b", "?/rdbms/admin/fourth"),
        (ORACLE, "START fifth.sql", "fifth.sql"),
        (DB2, "CREATE STOGRUOP SG ON '/x';", "STOGRUOP"),
        # sizes
        (ORACLE, "CREATE TABLESPACE x DATAFILE '/x' SIZE 10,000M;", "10,000M"),
        (ORACLE, "ALTER TABLESPACE good ADD DATAFILE '/x' SIZE 1,024M REUSE;", "1,024M"),
        (ORACLE, "CREATE TABLESPACE x DATAFILE '/x' SIZE 1024X;", "1024X"),
        (ORACLE, "CREATE TABLESPACE x DATAFILE '/x' SIZE 1024 X;", "1024 X"),
        (ORACLE, "ALTER DATABASE DATAFILE '/db/good.dbf' RESIZE 1_000;", "1_000"),
        (DB2, "CREATE TABLESPACE X PAGESIZE 4K MANAGED BY DATABASE USING (FILE '/x' 1,000,000);", "1,000,000"),
        (DB2, "CREATE TABLESPACE X PAGESIZE 4K MANAGED BY DATABASE USING (FILE '/x' 1 000);", "1 000"),
        (DB2, "CREATE TABLESPACE X PAGESIZE 4K MANAGED BY DATABASE USING (FILE '/x' 2 GX);", "2 GX"),
        (DB2, "CREATE TABLESPACE X PAGESIZE 4Q MANAGED BY DATABASE USING (FILE '/x' 2);", "4Q"),
        # scripts
        (f'#!/bin/sh\ndb2 "{DB2[:-2]}"\n', "db2 -tvf more.ddl", "more.ddl"),
        (f'#!/bin/sh\ndb2 "{DB2[:-2]}"\n', 'db2 "CREATE TABLESPAC X MANAGED BY SYSTEM USING (\'/x\')"', "TABLESPAC"),
        (f'db2 "{DB2[:-2]}"\n', "su - i -c \"db2 'create tablespace x managed by ...'\"", "create tablespace x"),
        (f'db2 "{DB2[:-2]}"\n', "for i in 1 2; do db2 \"CREATE TABLESPACE S$i MANAGED BY SYSTEM USING ('/x')\"; done", "S$i"),
        (f'db2 "{DB2[:-2]}"\n', "db2 \"CREATE TABLESPACE S MANAGED BY SYSTEM USING ('/x$i')\"", "shell variable"),
        (f'db2 "{DB2[:-2]}"\n', "db2 \"CREATE $SORT TABLESPACE S MANAGED BY SYSTEM USING ('/x')\"", "shell variable"),
        (f"#!/bin/sh\nsqlplus / <<EOF\n{ORACLE}", "CREATE TABLESPACE x DATAFILE '$DIR/x' SIZE 1G;\nEOF", "$DIR"),
        # LIST TABLESPACE CONTAINERS
        (LISTED, CONTAINER.replace("Container ID", "Contaner ID"), "Contaner ID"),
        (LISTED, CONTAINER.replace("Container ID", "Continer ID"), "Continer ID"),
        (LISTED, CONTAINER.replace("Name", "Nmae"), "Nmae"),
        (LISTED, CONTAINER.replace("Tablespace Containers for", "Tablespace Contaners for Tablespaces"), "heading"),
        (LISTED, CONTAINER.replace(" for Tablespace", " of the Tablespace"), "heading"),
        (LISTED, CONTAINER + CONTAINER.splitlines()[1].replace("0", "1") + "\n Name = /y\n", "has 1 containers"),
        # db2pd
        (DB2PD, "0x0000000200A30000 3     1          File    100", "0x0000000200A30000"),
        (DB2PD, "\nContainers:\nAdress  TspId\n0x0000000200A30000 3     1          File    100", "0x0000000200A3"),
        # MON_GET_CONTAINER
        (MON, "SHORT,/x\n", "2 fields under 4 columns"),
        (MON, "LONG,/x, y,10,4096\n", "5 fields under 4 columns"),
        (MON, "ODD,/x,many,4096\n", "many"),
        (MON, "TBSP_NAM,CONTAINER_NAME,TOTAL_PAGES,TBSP_PAGE_SIZE\nX,/x,1,2", "heading not understood"),
        # DBA_DATA_FILES
        (SPOOL, "/x,X\n", "2 fields under 3 columns"),
        (SPOOL, "/x,X,ten\n", "ten"),
        (SPOOL, "FILENAME,TABLESPACE_NAME,BYTES\n/x,X,1\n", "heading not understood"),
        (SPOOL, "GROUP#,MEMBR\n1,/x\n", "heading not understood"),
        (SPOOL, "NAME,VALUE\nprocesses,300\n", "heading not understood"),
        # CSV
        ("tablespace,path,role,bytes\nGOOD,/db/good,data,1\n", "X,/x,dta,1\n", "dta"),
        ("tablespace,path,role,bytes\nGOOD,/db/good,data,1\n", "X,/x,data,1.5\n", "1.5"),
        ("tablespace,path,role,bytes\nGOOD,/db/good,data,1\n", "X,/x,data,1,2,3,4\n", "7 fields"),
        ("tablespace,path,role,bytes\nGOOD,/db/good,data,1\n", "X\n", "no path"),
        ("tablespace,path,role,bytes\nGOOD,/db/good,data,1\n", "M;/db2/d/m;data;5\n", "has semicolons"),
        ("tablespace;path;role;bytes\nGOOD;/db/good;data;1\n", "X,/x,data,1\n", "has commas"),
        ("tablespace;path;role;bytes\nGOOD;/db/good;data;1\n", "X;/x;data;1;2\n", "5 fields"),
        ("tablespace,path,read_bytes_per_s\nGOOD,/db/good,1\n", "X,/x,fast\n", "fast"),
        ("spcname,pg_tablespace_location\nGOOD,/db/good\n", "X\n", "1 fields"),
        ("NAME\tFILENAME\nGOOD\t/db/good\n", "X\n", "1 fields"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_told_with_its_line_and_words(
    before: str, mistyped: str, words: str
) -> None:
    """Whatever the format; and what is understood is there all the same."""
    found = read(before + mistyped + "\n")
    first = before.count("\n") + 1
    assert any(words.casefold() in part.casefold() for part in found.unread), found.unread
    lines = [int(part.split(":")[1]) for part in found.unread]
    assert all(line >= first or "Number of containers" in before for line in lines), found.unread
    assert any(row.path.startswith("/db/") for row in found.containers)


@pytest.mark.parametrize(
    ("text", "tablespace", "files"),
    [
        (DB2 + "CREATE OR REPLACE TABLESPACE X MANAGED BY SYSTEM USING ('/x');", "X", ["/x"]),
        (DB2 + "CREATE TABLESPACE IF NOT EXISTS X MANAGED BY SYSTEM USING ('/x');", "X", ["/x"]),
        (DB2 + "DROP TABLESPACE IF EXISTS GOOD;" + "CREATE TABLESPACE X MANAGED BY SYSTEM USING ('/x');", "GOOD", []),
        (DB2 + DB2.replace("GOOD", "B").replace("good", "b") + "DROP TABLESPACES GOOD, B;" + DB2.replace("GOOD", "C"),
         "B", []),
        (f'db2 "{DB2[:-2]}"\n' + DB2.replace("GOOD", "X"), "GOOD", ["/db/good"]),
        (f"db2 -v '{DB2[:-2]}'\n".replace("'/db/good'", '"/db/good"').replace('"', "'\"'\"'"), "GOOD", []),
        (f'#!/bin/ksh\n# don\'t\necho "it\'s"\ndb2 -v "{DB2[:-2]}"\n', "GOOD", ["/db/good"]),
        (f'#!/bin/ksh\ndb2 connect to D; db2 +o -v "{DB2[:-2]}" || exit 1\n', "GOOD", ["/db/good"]),
        (f"#!/usr/bin/env bash\ndb2 -tv <<-'END'\n{DB2}\tEND\necho 'x\n", "GOOD", ["/db/good"]),
        ("#!/bin/sh\ndb2 create tablespace x managed by system \\\n  using \\(\\'/x\\'\\)\n", "X", ["/x"]),
        ("#!/bin/sh\ndb2 \"create tablespace \\\"x\\\" managed by system\n  using ('/x')\"\n", "x", ["/x"]),
        (f"#!/bin/sh\nsqlplus / as sysdba <<EOF\n{ORACLE}EOF\n", "GOOD", ["/db/good.dbf"]),
        (ORACLE + "CREATE TABLESPACE IF NOT EXISTS t8 DATAFILE '/x' SIZE 1G;", "T8", ["/x"]),
        (ORACLE + "CREATE OR REPLACE TABLESPACE t8 DATAFILE '/x' SIZE 1G;", "T8", ["/x"]),
        (ORACLE + "CREATE LOCAL TEMPORARY TABLESPACE t8 TEMPFILE '/x' SIZE 1G;", "T8", ["/x"]),
        (ORACLE + "DROP TABLESPACE IF EXISTS good;\n" + ORACLE.replace("good", "b"), "GOOD", []),
        ('FILE_NAME,TABLESPACE_NAME,BYTES\n/x,X,"734,003,200"\n', "X", ["/x"]),
        ('tablespace,path,role,bytes\nX,/x,data,"734,003,200"\n', "X", ["/x"]),
        (ORACLE + "ALTER DATABASE ADD STANDBY LOGFILE GROUP 4 ('/x', '/y') SIZE 1G;", "", ["/x", "/y"]),
        (ORACLE + "ALTER DATABASE ADD LOGFILE MEMBER '/x' TO GROUP 2;", "", ["/x"]),
        (ORACLE + "ALTER DATABASE ADD LOGFILE MEMBER '/x' TO ('/y', '/z');", "", ["/x"]),
        (ORACLE + "START WITH 1\n" + ORACLE.replace("good", "b"), "B", ["/db/b.dbf"]),
        (f'db2 connect to $DB\ndb2 "{DB2[:-2]}"\n', "GOOD", ["/db/good"]),
        ("#!/bin/sh\ndb2 create tablespace X managed by database using \"(file '/x' 2G)\"\n", "X", ["/x"]),
        (LISTED + CONTAINER, "TS3", ["/db/ts3"]),
        (LISTED + CONTAINER.replace("Containers for", "Container for"), "TS3", ["/db/ts3"]),
        ("$ db2 list tablespace containers for 3\n" + LISTED + CONTAINER, "TS3", ["/db/ts3"]),
    ],
)  # fmt: skip
def test_other_ways_to_write_it_are_read(text: str, tablespace: str, files: list[str]) -> None:
    """With nothing left that is not understood."""
    found = read(text)
    assert paths(found, tablespace) == files
    if files:
        assert found.unread == ()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE SPACE (ID INT) IN TS1;",
        "CREATE TABLE SPACE AS (SELECT * FROM X) WITH DATA;",
        "CREATE TABLE TABLESPACES (NAME CHAR(8));",
        "CREATE VIEW TABLESPACE AS SELECT 1 FROM X;",
        "CREATE UNIQUE INDEX TABLESPACE ON T (A);",
        "ALTER TABLE T MOVE TABLESPACE X;",
        "CREATE USER U IDENTIFIED BY P DEFAULT TABLESPACE X;",
        "ALTER USER U TEMPORARY TABLESPACE TEMP;",
        "ALTER DATABASE DEFAULT TABLESPACE X;",
        "GRANT USE OF TABLESPACE X TO PUBLIC;",
        "COMMENT ON TABLESPACE X IS 'y';",
        "CREATE BUFFERPOOL TABLESPACE SIZE 100;",
        "INSERT INTO TABLESPACES VALUES ('CREATE TABLESPAC X');",
        "CREATE INDEX I ON T (A) TABLESPACE X;",
        "ALTER TABLE SPACE ADD COLUMN TABLESPAC INT;",
        "DROP TABLE SPACE;",
        "LIST TABLESPACES;",
        "QUIESCE TABLESPACES FOR TABLE T RESET;",
        "CREATE PROCEDURE TABLESPAC() BEGIN END;",
        "-- CREATE TABLESPAC X",
        "/* CRATE TABLESPACE X */",
        "CREATE GLOBAL TEMPORARY TABLE TABLESPAC (A INT);",
        "CREATE TABLE DATABSE (A INT);",
        "CREATE DATABASE LINK L USING 'x/y';",
        "ALTER DATABASE BACKUP CONTROLFILE TO '/x';",
        "ALTER DATABASE RECOVER DATAFILE '/x';",
        "CREATE SEQUENCE S\nSTART WITH 1;",
        "/* by\n@name of the DBA\n*/",
        "/* it's */ -- /*\n/* a '/* b\n@@name */",
    ],
)
@pytest.mark.parametrize("before", [DB2, ORACLE])
def test_statements_about_something_else_are_no_mistakes(before: str, statement: str) -> None:
    """A name that is like TABLESPACE, or a tablespace as an attribute, is none of its business."""
    found = read(before + statement + "\n")
    assert found.unread == ()
    assert len(found.containers) == 1


@pytest.mark.parametrize(
    "action", ["CLEAR LOGFILE '/x'", "CLEAR UNARCHIVED LOGFILE '/x'", "REGISTER LOGFILE '/x'"]
)
def test_oracle_logs_that_are_not_changed_are_no_mistakes(action: str) -> None:
    """What names a log and creates, moves or drops none, is passed over."""
    assert read(f"{ORACLE}ALTER DATABASE {action};\n").unread == ()


def test_sizes_with_separators_are_whole() -> None:
    """`734,003,200` is a number of bytes."""
    (row,) = read('FILE_NAME,TABLESPACE_NAME,BYTES\n/x,X,"734,003,200"\n').containers
    assert row.bytes_declared == 734_003_200


def test_a_resize_by_number_is_reported() -> None:
    """Which file has the number, no statement tells."""
    (part,) = read(f"{ORACLE}ALTER DATABASE DATAFILE 3, 4 RESIZE 5G;\n").unread
    assert "file 3 is resized by number" in part


def test_a_file_that_runs_behind_a_comment_is_reported() -> None:
    """A path with the begin of a comment in it opens none."""
    text = f"{ORACLE}/* a */ -- /*\nALTER DATABASE ADD LOGFILE '/x/*';\n@more.sql\n"
    assert any("more.sql" in part for part in read(text).unread)


@pytest.mark.parametrize("size", ["10,000M", "1,000", "1024X", "1024 X", "1.5G", "1 000", "1_000", "9MiB"])
@pytest.mark.parametrize(
    ("before", "statement"),
    [
        (DB2, "CREATE TABLESPACE X PAGESIZE 4K MANAGED BY DATABASE USING (FILE '/x' {})"),
        (DB2, "CREATE TABLESPACE X PAGESIZE 4K MANAGED BY DATABASE USING (FILE '/x' {}, FILE '/y' 1)"),
        (ORACLE, "CREATE TABLESPACE x DATAFILE '/x' SIZE {}, '/y' SIZE 4K"),
        (ORACLE, "CREATE TABLESPACE x DATAFILE '/x' SIZE {} REUSE LOGGING"),
    ],
)
def test_what_is_no_size_is_an_unknown_size(before: str, statement: str, size: str) -> None:
    """A wrong number of bytes is never counted; the file is listed all the same, and those behind it."""
    found = read(before + statement.format(size))
    sizes = {row.path: row.bytes_declared for row in found.containers if row.tablespace == "X" and row.path}
    assert sizes.pop("/x") is None
    assert sizes in ({}, {"/y": 4096})
    assert len(found.unread) == 1


@pytest.mark.parametrize("size", ["2G", "2 G", "2GB", "2 gb", "2048M", "2097152 K"])
@pytest.mark.parametrize(
    "statement",
    [
        DB2 + "CREATE TABLESPACE X PAGESIZE 4 K IN G MANAGED BY DATABASE USING (FILE '/x' {});",
        ORACLE + "CREATE TABLESPACE x DATAFILE '/x' SIZE {} AUTOEXTEND ON NEXT {} MAXSIZE UNLIMITED;",
    ],
)
def test_units_of_sizes_are_read(statement: str, size: str) -> None:
    """Also with a B, and behind a blank."""
    found = read(statement.replace("{}", size))
    assert [row.bytes_declared for row in found.containers if row.tablespace == "X"] == [2 << 30]
    assert found.unread == ()


@pytest.mark.parametrize("script", ["# setup\ndb2 -tvf other.sql\n", "rem setup\n@other.sql\n"])
def test_a_script_that_only_runs_another_names_it(script: str) -> None:
    """With its line."""
    with pytest.raises(ListingError, match=r"line 2: .*give that file, 'other\.sql'"):
        read(script)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (DB2 + "CREATE TABLESPACE X MANAGED BY DATABASE USING (FILE /db2/d01/x.data 2G);", "in 'quotes'"),
        (DB2 + "CREATE TABLESPACE X MANAGED BY DATABASE USING (FILE '/x 2G);\n" + DB2, "a quote is missing"),
        (DB2 + "CREATE TABLESPACE X MANAGED BY DATABASE USING (FILE a b, FILE c);", "'a', and 1 more"),
        (ORACLE + "CREATE TABLESPACE x DATAFILE '/x SIZE 2G;\n" + ORACLE, "a quote is missing"),
        (ORACLE + "CREATE TABLESPACE x DATAFILE /u01/x.dbf SIZE 2G;", "in 'quotes'"),
    ],
)
def test_a_statement_is_one_part_that_is_not_understood(text: str, reason: str) -> None:
    """With its line, its first words and the reason, however much of it is wrong."""
    found = read(text)
    (part,) = found.unread
    assert ":2: " in part
    assert "CREATE TABLESPACE X" in part.upper()
    assert reason in part
    assert all(row.path == "" for row in found.containers if row.tablespace == "X")


def test_a_row_with_other_separators_is_no_name_of_a_tablespace() -> None:
    """Its row has a problem, and no name."""
    found = read("tablespace,path,role,bytes\nGOOD,/db/good,data,1\nM;/db2/d/m;data;5\n")
    assert [row.tablespace for row in found.containers if row.problem] == [""]


def test_a_misread_tablespace_is_no_automatic_storage() -> None:
    """A statement with a mistake gives a row that says so, not that Db2 or Oracle chose the place."""
    for before, text in ((DB2, "MANAGED BY DATABASE USNIG (FILE '/x' 1)"), (ORACLE, "DATAFLE '/x' SIZE 1G")):
        found = read(f"{before}CREATE TABLESPACE X {text};")
        assert [row.problem for row in found.containers if row.tablespace == "X"] == [NOT_UNDERSTOOD]


@pytest.mark.parametrize(("name", "words"), [("GOODD", "is 'GOOD' meant?"), ("OLD", "not in the DDL")])
def test_db2_notes_an_altered_tablespace_that_is_not_created(name: str, words: str) -> None:
    """Its other containers are missing from the listing."""
    found = read(
        f"{DB2}ALTER TABLESPACE {name} ADD (FILE '/x' 1K);\nALTER TABLESPACE GOOD ADD (FILE '/y' 1K);"
    )
    (note,) = found.notes
    assert ":2: " in note
    assert name in note
    assert words in note
    assert found.unread == ()


def test_an_altered_tablespace_with_nearly_a_known_name_is_told() -> None:
    """The name that was likely meant is named."""
    found = read(ORACLE + "ALTER TABLESPACE goood ADD DATAFILE '/x' SIZE 1G;")
    assert any("is 'GOOD' meant?" in note for note in found.notes)


@given(st.sampled_from([DB2, ORACLE, LISTED, SPOOL, MON, DB2PD]), st.data())
def test_no_single_wrong_letter_loses_a_container_silently(text: str, data: st.DataObject) -> None:
    """With one letter left out there are as many containers as before, or something is told."""
    twice = text + text.replace("good", "more").replace("GOOD", "MORE") if "good" in text else text
    whole = read(twice)
    letters = [place for place, sign in enumerate(twice) if sign.isalpha()]
    place = data.draw(st.sampled_from(letters))
    try:
        found = read(twice[:place] + twice[place + 1 :])
    except ListingError:
        return
    placed = [row for row in found.containers if row.path and not row.problem]
    told = found.unread or any(row.problem for row in found.containers) or found.notes != whole.notes
    assert len(placed) >= len(whole.containers) or told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("CREATE TABLESPACE a DATAFILE \u2018/x\u2019 SIZE 1M;\n", "'quotes'"),
        ("CREATE TABLESPACE a DATAFILE `/x` SIZE 1M;\n", "'quotes'"),
        ("CREATE TABLESPACE SET a;\nCREATE TABLESPACE b DATAFILE '/b' SIZE 1M;\n", "CREATE TABLESPACE SET a"),
        ("CREATE TABLESPACE a MANAGED BY DATABASE USING (FILE \u201c/x\u201d 10);\n", "'quotes'"),
        (
            " Tablespace Containers for Tablespace 3\n\n Container ID = 0\n Name = /x\n Total pages = 498.750\n",
            "Total pages '498.750'",
        ),
    ],
)
def test_what_a_word_processor_makes_of_a_listing_is_reported(text: str, words: str) -> None:
    """No file is taken for one that the database names, and no size is dropped without a word."""
    assert any(words in part for part in read(text).unread)
