-- Run once, as the superuser of a new cluster, by the image of PostgreSQL. The nodes get a role that owns their database and nothing else.
\set password `cat /run/secrets/database_password`
create role pulse login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database pulse owner pulse;
revoke all on database pulse, postgres, template1 from public;
