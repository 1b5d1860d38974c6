-- Makes the database and the roles of docs/operations.md, when the image of PostgreSQL starts for the first time: the user of Posthorn
-- may do what Posthorn needs, and no more.
\set password `cat /run/secrets/postgres-password`
CREATE ROLE posthorn LOGIN PASSWORD :'password';
CREATE DATABASE posthorn OWNER posthorn ENCODING 'UTF8' TEMPLATE template0;
CREATE ROLE posthorn_callers NOLOGIN;
GRANT posthorn_callers TO posthorn;
CREATE ROLE posthorn_writers NOLOGIN;
GRANT posthorn_writers TO posthorn;
