/** Words that every screen uses. */
export const everywhere = {
  account: 'Account',
  all: 'All',
  all_instances: 'All instances',
  answered_strangely:
    'The server answered with {status}, and this page does not understand the answer. A proxy in between may be the cause.',
  as_last_known: 'as last known',
  call_behind: 'Show the API call',
  call_hint: 'To run it, put an API key into the variable POSTHORN_KEY.',
  call_hint_operator:
    "To run it, put the operator's token into the variable POSTHORN_KEY. It is in the file operator.token in the data folder of the server, unless POSTHORN_OPERATOR_TOKEN sets another.",
  cancel: 'Cancel',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  created: 'Created',
  instance: 'Instance',
  load_more: 'Show more',
  loading: 'Loading…',
  name: 'Name',
  network: 'Network',
  no: 'No',
  no_answer:
    'The server has not answered for a minute. If you asked it to do something, see whether it was done before you repeat it.',
  not_found: 'There is nothing here.',
  not_found_why: 'The link may be incomplete, or it leads to something that this key may not see.',
  nothing_found: 'Nothing matches these filters.',
  out_of_reach: 'The server is out of reach. Check your connection, and that the server is running.',
  proxy_reaches_nobody:
    'A proxy answered with {status}, because it does not reach the server. The server may be restarting: try again in a moment.',
  proxy_takes_less:
    'A proxy answered with {status}: this is more than it lets through. Send less at once, or ask the operator to raise the limit of the proxy.',
  raw: 'As JSON',
  refresh: 'Refresh',
  search: 'Search',
  search_on: 'Nothing found so far. Keep searching',
  skip: 'Skip to the content',
  status: 'Status',
  time: 'Time',
  try_again: 'Try again',
  type_to_confirm: 'Type {name} to confirm',
  yes: 'Yes',
} as const
