/** The ports of a cluster of three members, all on 127.0.0.1. */
export interface Ports {
  readonly etcd: readonly number[]
  readonly etcdPeers: readonly number[]
  /** Of Patroni's own API, and of PostgreSQL. */
  readonly patroni: readonly number[]
  readonly postgres: readonly number[]
  /** Leads to the primary, whichever member that is: HAProxy, and PgBouncer before it. */
  readonly primary: number
  readonly pooled: number
}

export interface Place {
  readonly folder: string
  readonly ports: Ports
  /** The folder of PostgreSQL's programs. */
  readonly programs: string
}

const local = (port: number | undefined) => `127.0.0.1:${port}`

export function etcdArguments({ folder, ports }: Place, member: number): string[] {
  const peers = ports.etcdPeers.map((port, index) => `e${index}=http://${local(port)}`)
  const [client, peer] = [ports.etcd[member], ports.etcdPeers[member]].map((port) => `http://${local(port)}`)
  const flags: Record<string, string | undefined> = {
    name: `e${member}`,
    'data-dir': `${folder}/etcd${member}`,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': peers.join(','),
    'initial-cluster-state': 'new',
    'heartbeat-interval': '200',
    'election-timeout': '2000',
    'enable-v2': 'true',
  }
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
}

/**
 * Patroni's configuration, in JSON, which is YAML. The interface v2 of etcd, because Patroni before 3.0.3 overwrites the key of
 * another leader with v3 (patroni/patroni#2689).
 */
export function patroniConfiguration({ folder, ports, programs }: Place, member: number): string {
  const api = local(ports.patroni[member])
  const server = local(ports.postgres[member])
  const parameters = {
    ...{ wal_level: 'replica', hot_standby: 'on', wal_log_hints: 'on', wal_keep_size: '128MB' },
    ...{ max_wal_senders: 6, max_replication_slots: 6, max_connections: 120, shared_buffers: '64MB' },
    ...{ synchronous_commit: 'on', fsync: 'on', full_page_writes: 'on' },
    ...{ wal_sender_timeout: '5s', wal_receiver_timeout: '5s', wal_receiver_status_interval: '1s' },
    ...{ tcp_keepalives_idle: 10, tcp_keepalives_interval: 3, tcp_keepalives_count: 3 },
    ...{ tcp_user_timeout: 9000, client_connection_check_interval: '2s' },
  }
  return JSON.stringify({
    scope: 'posthorn',
    name: `p${member}`,
    restapi: { listen: api, connect_address: api },
    etcd: { hosts: ports.etcd.map(local) },
    bootstrap: {
      dcs: {
        ...{ ttl: 20, loop_wait: 2, retry_timeout: 3, master_start_timeout: 0, failsafe_mode: true },
        ...{ synchronous_mode: true, synchronous_mode_strict: true, synchronous_node_count: 1 },
        postgresql: { use_pg_rewind: true, use_slots: true, parameters },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: server,
      connect_address: server,
      data_dir: `${folder}/postgres${member}`,
      bin_dir: programs,
      // A rewind whose source died leaves a member that never starts: it is copied anew.
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      pg_hba: [
        'host all all 127.0.0.1/32 trust',
        'host replication replicator 127.0.0.1/32 trust',
        'local all all trust',
      ],
      pgpass: `${folder}/pgpass${member}`,
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
        rewind: { username: 'postgres' },
      },
      parameters: { unix_socket_directories: folder },
    },
  })
}

/** HAProxy asks Patroni which member is the primary, and ends connections to one that no longer is. */
export const haproxyConfiguration = ({ ports }: Place): string => `global
  maxconn 2000
defaults
  mode tcp
  retries 2
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 1s
  option tcpka
listen primary
  bind ${local(ports.primary)}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fastinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${ports.postgres.map((port, member) => `  server p${member} ${local(port)} check port ${ports.patroni[member]}`).join('\n')}
`

export const pgbouncerConfiguration = ({ ports }: Place): string => `[databases]
* = host=127.0.0.1 port=${ports.primary} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ports.pooled}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
server_login_retry = 1
server_connect_timeout = 3
server_fast_close = 1
query_wait_timeout = 5
tcp_keepidle = 10
tcp_keepintvl = 3
tcp_keepcnt = 3
tcp_user_timeout = 9000
ignore_startup_parameters = extra_float_digits
`
