// Made from the contract by `node clients/javascript/generate/generate.ts`: change that, and run it again.

import type { CallOptions, SendOptions, WaitOptions } from '../options.ts'
import type { Pages } from '../pages.ts'
import type {
  AnswerLink,
  AuditEntry,
  BatchResults,
  CancelMessages,
  ChangeMembersBody,
  ChangedMembers,
  CheckAddressesBody,
  CheckedAddresses,
  Contact,
  Conversation,
  CreateGroupBody,
  CreateInstance,
  CreateKey,
  CreateLinkPage,
  CreateOrganization,
  CreateWebhook,
  CreatedKey,
  DecideRequestsBody,
  DeliverEvent,
  Delivery,
  EditMessage,
  Event,
  EventPage,
  GetStatisticsQuery,
  GetWebhookStatisticsQuery,
  Group,
  GroupWithMembers,
  Health,
  Instance,
  InstanceConnectivity,
  InviteLink,
  InviteLinkBody,
  JoinGroupBody,
  JoinRequest,
  Key,
  LinkPage,
  ListAuditQuery,
  ListContactsQuery,
  ListConversationsQuery,
  ListDeliveriesQuery,
  ListEventsQuery,
  ListGroupsQuery,
  ListInstancesQuery,
  ListJoinRequestsQuery,
  ListKeysQuery,
  ListMessagesQuery,
  ListOrganizationKeysQuery,
  ListOrganizationsQuery,
  ListServerAuditQuery,
  ListTemplatesQuery,
  ListWebhooksQuery,
  Me,
  Message,
  MessageAttemptPage,
  MessageStepPage,
  MessagesCanceled,
  NetworkPage,
  Node,
  NodePage,
  OpenApiDocument,
  Organization,
  ProblemExplanation,
  Quotas,
  RedeliverEvents,
  Redelivery,
  ReplaceCredentials,
  RetractMessage,
  SendBatch,
  SendContacts,
  SendInteractive,
  SendLocation,
  SendPoll,
  SendReaction,
  SendTemplate,
  SendText,
  ServerAuditEntry,
  ServerHealth,
  ShowTypingBody,
  SkipBacklog,
  SkippedBacklog,
  StartLink,
  Statistics,
  Template,
  TryWebhook,
  UpdateGroupBody,
  UpdateInstance,
  UpdateOrganization,
  UpdateWebhook,
  Webhook,
  WebhookStatistics,
  WebhookTrial,
  WebhookWithSecret,
} from './types.ts'

export interface InstancesMethods {
  /**
   * List the instances.
   *
   * Lists the instances of your organization, by name.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  list(query?: ListInstancesQuery, options?: CallOptions): Pages<Instance>

  /**
   * Create an instance.
   *
   * Creates and provisions an instance. The response comes at once, while Posthorn connects. Follow the status of the instance, or send `Prefer: wait=N` to get the response when the instance is connected or a person must act. The fields of `settings` and `credentials` depend on the network and are documented with it.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  create(body: CreateInstance, options?: SendOptions): Promise<Instance>

  /**
   * Read an instance.
   *
   * Returns the record of the instance.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  get(name: string, options?: CallOptions): Promise<Instance>

  /**
   * Read or follow the status.
   *
   * Returns the current state of the instance's connection. With `Accept: text/event-stream` the response stays open: it sends the current state and then every change, as events named `status` whose data is the same object. Once the instance is removed, the stream ends with an event named `deleted` that holds only the name.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  getStatus(name: string, options?: CallOptions): Promise<InstanceConnectivity>

  /**
   * Change an instance.
   *
   * Changes settings and labels (`metadata`) in place. A value in the body replaces the current value, `null` removes it, and all others stay; a setting that is an object, such as `pacing`, is replaced as a whole. Queued messages are kept, in their order. Labels and `pacing` take effect at once. For any other setting, the instance finishes what it is sending and reconnects, even if it is logged out or has failed; a stopped instance stays stopped, and an account that is being linked gets a new code. The result must be valid as a whole, together with the stored credentials; otherwise nothing changes. You cannot change the name, the network, the account, or the settings that the section of the network lists as fixed; to replace credentials, use `PUT /v1/instances/{name}/credentials`. Repeating the request changes nothing more. With `Prefer: wait=N`, the response comes when the instance is connected, needs a person, or has failed.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  update(name: string, body: UpdateInstance, options?: WaitOptions): Promise<Instance>

  /**
   * Replace the credentials.
   *
   * Replaces all credentials of the instance and reconnects it with the new ones, even if it is logged out or has failed. A stopped instance stays stopped. Queued messages are kept. Repeating the request reconnects it again. With `Prefer: wait=N`, the response comes when the instance is connected, needs a person, or has failed.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  replaceCredentials(name: string, body: ReplaceCredentials, options?: WaitOptions): Promise<Instance>

  /**
   * Remove an instance.
   *
   * Disconnects and removes the instance: cancels its queued messages, undoes at the network what creating it did there, and frees its name. You can still read its messages. 202 means that the network has not confirmed the removal yet: Posthorn keeps trying, and the name is free once the network has confirmed.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  delete(name: string, options?: CallOptions): Promise<Instance | undefined>

  /**
   * Start an instance.
   *
   * Reconnects a stopped, logged-out or failed instance, with its current settings and credentials. A running instance is not affected. To give it other credentials, use `PUT /v1/instances/{name}/credentials`.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  start(name: string, options?: WaitOptions): Promise<Instance>

  /**
   * Stop an instance.
   *
   * Closes the connection without logging out, and keeps it closed, even if the server restarts, until the instance is started again. Queued messages wait, and expire at their `expires_at`.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  stop(name: string, options?: WaitOptions): Promise<Instance>

  /**
   * Restart an instance.
   *
   * Closes the connection, whatever its status, and opens it again at once, without backoff.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  restart(name: string, options?: WaitOptions): Promise<Instance>

  /**
   * Check whether addresses exist.
   *
   * Asks the network which of up to 50 addresses exist, if it can tell (`abilities.checks_addresses`). Check an address before the first message to it, and never a list of numbers: networks ban accounts that ask about many people. So the instance asks about a limited number of addresses in a period, which depends on the network; more are refused with `too_many_checks`. The server remembers a `yes` for a day and a `no` for an hour, and does not ask again meanwhile.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  checkAddresses(name: string, body: CheckAddressesBody, options?: CallOptions): Promise<CheckedAddresses>

  /**
   * Show that you are typing.
   *
   * Shows a person that the account is typing to them, if the network can do that (`abilities.typing`). The request is not stored: if the instance is not connected, nothing is shown, and the response is the same. The indication ends by itself, or when a message is sent.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  showTyping(name: string, body: ShowTypingBody, options?: CallOptions): Promise<undefined>

  /**
   * Start linking the account.
   *
   * Starts to link the account of the instance, or starts again in another way: by a QR code, or by a code that a person types into the app on their phone. Without a body, it is a QR code. The network decides how long each step lasts and how many there are. `GET /v1/instances/{name}/link` shows the current step, also as an image. If the person does not act in time, the instance is `stopped` with `link_expired`; then start again. With `Prefer: wait=N`, the response comes when there is a step to show, or the attempt is over.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  startLink(name: string, body?: StartLink, options?: WaitOptions): Promise<InstanceConnectivity>

  /**
   * Read the current link step.
   *
   * Returns the step that a person must take now to link the account: in JSON as `link`, in the same record as the status and the response to `POST`, or, with `Accept: image/png` or `image/svg+xml`, a QR code as a picture that a phone can scan from a screen. Keep it secret, because its holder can link the account. A step lasts until `expires_at`; then read the next one. With `Prefer: wait=N`, the response comes when there is a step that has not expired, or none will follow.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  getLink(name: string, options?: WaitOptions): Promise<InstanceConnectivity>

  /**
   * Answer a link question.
   *
   * Passes a person's answer on to the network, while the instance is `awaiting_link` and its `link` is a `question`. If the network rejects the answer, the question stays. With `Prefer: wait=N`, the response comes when the instance is connected, asks another question, or has failed.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  answerLink(name: string, body: AnswerLink, options?: WaitOptions): Promise<InstanceConnectivity>

  /**
   * Log the account out.
   *
   * Unlinks the account at the network and keeps the instance, which is `logged_out` until an account is linked again (`POST /v1/instances/{name}/link`). Queued messages wait until then, and expire at their `expires_at`. The instance must be connected; if it is already logged out, nothing changes.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  logOut(name: string, options?: CallOptions): Promise<InstanceConnectivity>

  /**
   * Create a page for linking the account.
   *
   * Creates a page on which the owner of the phone can link the account without a key. Send them the `url`. Opening the page starts nothing: it first says that you will be able to read and send their messages, and linking begins only once they agree. On a phone the page begins with a code to type, on other devices with a QR code, and it shows the result. The page ends when the account is linked, when the page expires, when the instance is removed, or when the key that created it ends. An instance can have ten pages; creating another ends the oldest. At most a thousand pages of an organization can have a picture; creating another with a picture removes that of the oldest.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  createLinkPage(name: string, body?: CreateLinkPage, options?: CallOptions): Promise<LinkPage>

  /**
   * End the link pages.
   *
   * Ends all link pages of the instance at once. A link attempt that has begun on one of them continues; stop the instance to end it.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  revokeLinkPages(name: string, options?: CallOptions): Promise<undefined>

  /**
   * List the templates.
   *
   * Asks the network for the templates of the account, with their statuses. Posthorn stores none of them: the instance must be connected, and the response takes as long as the network does. Only one such request at a time can run for an instance. A page has as many templates as the network returns at once, at most `limit`.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  listTemplates(name: string, query?: ListTemplatesQuery, options?: CallOptions): Pages<Template>
}

export interface MessagesMethods {
  /**
   * Send a text.
   *
   * Accepts a text for one recipient. 202 means stored, not sent: `status` says how far the message has got, and only the network and the recipient's side advance it. Messages of one instance to one recipient leave in the order in which they were accepted. Send an `Idempotency-Key`: then you can safely repeat the request if no response arrives.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  sendText(body: SendText, options?: SendOptions): Promise<Message>

  /**
   * Send a message from a template.
   *
   * Accepts a message that is made from a template of the account, for one recipient. The network has already approved the wording, so such a message may also begin a conversation, or continue one in which you may no longer reply freely (`reply_window_seconds`). `GET /v1/instances/{name}/templates` lists the templates. Only the network knows whether a template exists, may be sent and fits its parameters: if not, the message becomes `failed`. For an instance of a network without templates, the request is refused with `templates_not_supported`. To a person who opted out of marketing, no template for marketing is sent: the request is refused with `recipient_opted_out`, and so is one whose category neither the network nor the request names.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  sendTemplate(body: SendTemplate, options?: SendOptions): Promise<Message>

  /**
   * List the messages.
   *
   * Lists the messages of your organization, sent and received, newest first. A message must match all filters. One call examines a part of the messages: if few of them match, its page is short or empty, and the next page continues. Only `next_cursor: null` means the end.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  list(query?: ListMessagesQuery, options?: CallOptions): Pages<Message>

  /**
   * Read a message.
   *
   * Returns the message with everything that is known about its delivery.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  get(id: string, options?: CallOptions): Promise<Message>

  /**
   * Read the file of a message.
   *
   * Returns the file of a message that was sent or received, for as long as it is kept: until the message is settled, and for 24 hours after that, unless the operator chose otherwise. Save the file instead of opening it, because its sender chose the content. You can request ranges of it (`Range`) to resume an interrupted download.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  getMedia(id: string, options?: CallOptions): Promise<Response>

  /**
   * Cancel a message.
   *
   * Cancels a waiting message: one that is `queued`, or that the network rejected temporarily. While an attempt is in progress, and after an uncertain one, the message may have arrived, and the request is refused with `message_not_cancelable`; so is that of an edit that leaves in the message that it edits. Canceling a message that is already canceled changes nothing and gets the same response.
   *
   * Needs a key with one of the roles `send`, `admin`.
   *
   * This operation is recorded in the audit log.
   */
  cancel(id: string, options?: CallOptions): Promise<Message>

  /**
   * Mark a received message as read.
   *
   * Sends a read receipt for a received message, if the network can do that (`abilities.marks_read`). The response comes once the network has confirmed; marking a message twice does no harm. The conversation then counts as read up to this message (`unread` of `GET /v1/conversations`), even if the network has no read receipts and the response says so.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  markRead(id: string, options?: CallOptions): Promise<undefined>

  /**
   * Send a location.
   *
   * Accepts a location for one recipient. The network must be able to send it (`abilities.sends` of `GET /v1/networks`); if not, the request is refused.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  sendLocation(body: SendLocation, options?: SendOptions): Promise<Message>

  /**
   * Send contact details.
   *
   * Accepts the contact details of one or more people for one recipient. The network must be able to send it (`abilities.sends` of `GET /v1/networks`); if not, the request is refused.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  sendContacts(body: SendContacts, options?: SendOptions): Promise<Message>

  /**
   * Ask with buttons or a list.
   *
   * Accepts a text with one of `buttons`, `list` and `url_button` for one recipient. When the recipient chooses a button or a row, you receive a message of the kind `button_reply` or `list_reply` with its `id` and `payload`. The limits of the network are in `limits.interactive` of `GET /v1/networks`. The network must be able to send it (`abilities.sends` of `GET /v1/networks`); if not, the request is refused.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  sendInteractive(body: SendInteractive, options?: SendOptions): Promise<Message>

  /**
   * Send a poll.
   *
   * Accepts a poll for one recipient, usually a group. Each vote comes as a message of the kind `poll_vote`. The limits of the network are in `limits` of `GET /v1/networks`. The network must be able to send it (`abilities.sends` of `GET /v1/networks`); if not, the request is refused.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  sendPoll(body: SendPoll, options?: SendOptions): Promise<Message>

  /**
   * Send up to 100 messages.
   *
   * Accepts up to 100 messages in one request, each with the body of the operation that its `type` names: texts, files by URL, templates, locations, contacts, questions and polls. The response has one result for each, in order: `status` 202 with the message, or the status and the `problem` that a request with this message alone would have got. The response itself is 200 if the list can be read, even if messages in it were refused: compare `refused` with 0. All accepted messages are stored together, and those to one recipient leave in the order of the list. With an `Idempotency-Key`, a repeated request gets the same results, including the refusals: to send what was refused, use a new key.
   *
   * In the rate limit, a batch counts as the number of its messages: it is admitted if a single request would be, and the rest is charged against later requests. The body may have at most 512 KB.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  sendBatch(body: SendBatch, options?: SendOptions): Promise<BatchResults>

  /**
   * React to a message.
   *
   * Reacts with an emoji to a message that you sent or received, or takes your reaction back (`emoji: null`). The network must have reactions (`abilities.sends`). It is a message of its own, with a status of its own: it is stored before the response. If the other message is still being sent, this one waits for it, and by default expires no earlier; if that is never sent, this one fails with `target_not_sent`.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  react(id: string, body: SendReaction, options?: SendOptions): Promise<Message>

  /**
   * Edit a message that you sent.
   *
   * Replaces the text of a text that you sent, or the caption of a file. The network must be able to (`abilities.sends`), and may allow it only for some time (`limits.edit_seconds`). The edit is a message whose `relation` is a `correction`; the other message stays as you sent it. If that message is still waiting, it is sent with the newest text, and all its edits become `sent` with it, without attempts of their own, including older ones, whose texts the recipient never sees. It is a message of its own, with a status of its own: it is stored before the response. If the other message is still being sent, this one waits for it, and by default expires no earlier; if that is never sent, this one fails with `target_not_sent`.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  edit(id: string, body: EditMessage, options?: SendOptions): Promise<Message>

  /**
   * Retract a message that you sent.
   *
   * Asks the network to remove a message that you sent, for everyone. The network must be able to (`abilities.sends`), and may allow it only for some time (`limits.retract_seconds`). The recipient may have read it already. If the message is still waiting, it is canceled instead, on any network: the response is then 200 with that message. It is a message of its own, with a status of its own: it is stored before the response. If the other message is still being sent, this one waits for it, and by default expires no earlier; if that is never sent, this one fails with `target_not_sent`.
   *
   * Needs a key with one of the roles `send`, `admin`.
   */
  retract(id: string, body: RetractMessage, options?: SendOptions): Promise<Message>

  /**
   * List the attempts of a message.
   *
   * Lists the attempts to send the message to its network, oldest first, all on one page. Of more than a hundred attempts, the first ten and the last ninety are kept. A message that was received, or sent from another client, has none. Fetching the file of a message is not an attempt: if that fails, the `error` of the message says why.
   *
   * A message can be `sent` without an `accepted` attempt if a receipt, or the network itself, showed later that it had arrived.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  listAttempts(id: string, options?: CallOptions): Promise<MessageAttemptPage>

  /**
   * List the steps of a message.
   *
   * Lists the statuses that the message has had, each with its time, oldest first, all on one page. They follow from the current state of the message: if a late confirmation turned `unknown` into `sent`, `delivered` or `read`, `unknown` is no longer among them.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  listSteps(id: string, options?: CallOptions): Promise<MessageStepPage>

  /**
   * Cancel messages by filter.
   *
   * Cancels every `queued` message that matches all filters, as `POST /v1/messages/{id}/cancel` does for one. Give at least one filter, or `all`. One call cancels a part: call again with `next_cursor` until it is null. Each message is either canceled permanently or not at all, so you can repeat the request after an error, with the cursor or without. The call skips messages that are being sent, and may skip those that are accepted meanwhile. Messages that are held since a restore become `unknown`, and count as canceled.
   *
   * Needs a key with one of the roles `send`, `admin`.
   *
   * This operation is recorded in the audit log.
   */
  cancelMany(body: CancelMessages, options?: CallOptions): Promise<MessagesCanceled>
}

export interface ConversationsMethods {
  /**
   * List the conversations.
   *
   * Lists the conversations of your organization with their last messages, newest first. A person with several known addresses (`aliases`) is listed once, under the address of the last message. `GET /v1/messages?instance=…&conversation=…` lists the messages of a conversation. A conversation that gets a message while you read page after page moves to the front, so it may be missing from the pages that follow. A conversation is removed with its last message. With `search`, `kind` or `unread`, a page may be short, or empty, although `next_cursor` leads to more.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  list(query?: ListConversationsQuery, options?: CallOptions): Pages<Conversation>
}

export interface ContactsMethods {
  /**
   * List the contacts.
   *
   * Lists the people who have written to the instance, or about whom the network has told it, ordered by address. They stay for as long as messages do. A page may be short, or empty, although `next_cursor` leads to more.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  list(name: string, query?: ListContactsQuery, options?: CallOptions): Pages<Contact>

  /**
   * Show a contact.
   *
   * Shows what is known of the person at an address.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  get(name: string, address: string, options?: CallOptions): Promise<Contact>

  /**
   * Show the picture of a contact.
   *
   * Returns the picture that a person, or a group, shows at the network, if the network has pictures (`abilities.pictures`): a JPEG, PNG or WebP of at most 1 MB. Posthorn asks the network when you ask, and keeps a picture in memory for a day, or for an hour the fact that there is none. It asks only as often as networks tolerate; further requests are refused with `too_many_pictures`. You may keep the picture for an hour (`Cache-Control`); after that, send its `ETag` as `If-None-Match`.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  getPicture(name: string, address: string, options?: CallOptions): Promise<Response>

  /**
   * Forget a person.
   *
   * Removes the contact, and empties the messages of the conversation with that person in this instance: texts, captions, subjects, names, files and `metadata` go, also from the events of these messages and from deliveries that are still to be sent. Ids, addresses, times and statuses stay, and the messages say `forgotten`. What is still queued for the person is canceled. This is done in parts: the contact shows `being_forgotten` until it is gone, and then its path returns `contact_not_found`. What stays is in backups, in responses that are kept for an `Idempotency-Key`, and what the person wrote in groups; and, if the person said so, that they want no marketing, with a digest of each address. The address of a group is refused with `contact_not_found`.
   *
   * Needs a key with the role `admin`.
   *
   * This operation is recorded in the audit log.
   */
  forget(name: string, address: string, options?: CallOptions): Promise<Contact>
}

export interface GroupsMethods {
  /**
   * List the groups.
   *
   * Asks the network for the groups that the account is in, if it can list them (`list` in `abilities.groups`). Posthorn keeps no list of them: the instance must be connected, and the response takes as long as the network does. A page has as many groups as the network returns at once, at most `limit`.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  list(name: string, query?: ListGroupsQuery, options?: CallOptions): Pages<Group>

  /**
   * Create a group.
   *
   * Creates a group with the people you name. The network may refuse to add some of them: read the group to see who is in it. Networks ban accounts that change groups too often, so the instance makes a limited number of changes in a period, which depends on the network; more are refused with `too_many_group_changes`. If the network does not say whether it was done, the response is `outcome_unknown`. With an `Idempotency-Key`, a repeated request never creates a second group: it gets the first response, or `outcome_unknown` if that is all that is known.
   *
   * Needs a key with one of the roles `send`, `admin`.
   *
   * This operation is recorded in the audit log.
   */
  create(name: string, body: CreateGroupBody, options?: SendOptions): Promise<Group>

  /**
   * Join a group.
   *
   * Joins the group that an invitation leads to. Networks ban accounts that change groups too often, so the instance makes a limited number of changes in a period, which depends on the network; more are refused with `too_many_group_changes`. If the network does not say whether it was done, the response is `outcome_unknown`.
   *
   * Needs a key with one of the roles `send`, `admin`.
   *
   * This operation is recorded in the audit log.
   */
  join(name: string, body: JoinGroupBody, options?: CallOptions): Promise<Group>

  /**
   * Show a group.
   *
   * Asks the network for a group and its members. Posthorn stores only the subject, which is then the name of the conversation.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  get(name: string, address: string, options?: CallOptions): Promise<GroupWithMembers>

  /**
   * Rename or describe a group.
   *
   * Changes either the subject or the description of a group. Networks ban accounts that change groups too often, so the instance makes a limited number of changes in a period, which depends on the network; more are refused with `too_many_group_changes`. If the network does not say whether it was done, the response is `outcome_unknown`.
   *
   * Needs a key with one of the roles `send`, `admin`.
   *
   * This operation is recorded in the audit log.
   */
  update(name: string, address: string, body: UpdateGroupBody, options?: CallOptions): Promise<undefined>

  /**
   * Change the members of a group.
   *
   * Adds, removes, promotes or demotes members, and returns for each whether the network did it. Networks ban accounts that change groups too often, so the instance makes a limited number of changes in a period, which depends on the network; more are refused with `too_many_group_changes`. If the network does not say whether it was done, the response is `outcome_unknown`.
   *
   * Needs a key with one of the roles `send`, `admin`.
   *
   * This operation is recorded in the audit log.
   */
  changeMembers(name: string, address: string, body: ChangeMembersBody, options?: CallOptions): Promise<ChangedMembers>

  /**
   * Get an invite link.
   *
   * Returns a link by which people join the group; with `renew`, a new one, and earlier ones no longer work. Anyone who has the link can join, so show it only to those whom you invite. Networks ban accounts that change groups too often, so the instance makes a limited number of changes in a period, which depends on the network; more are refused with `too_many_group_changes`. If the network does not say whether it was done, the response is `outcome_unknown`.
   *
   * Needs a key with one of the roles `send`, `admin`.
   *
   * This operation is recorded in the audit log.
   */
  getInviteLink(name: string, address: string, body?: InviteLinkBody, options?: CallOptions): Promise<InviteLink>

  /**
   * List requests to join a group.
   *
   * Asks the network for the people who ask to join a group that requires approval (`list_requests` in `abilities.groups`). `group.changed` with `join_requested` reports each new request. If the network cannot list requests, the response has those that it has reported.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  listRequests(name: string, address: string, query?: ListJoinRequestsQuery, options?: CallOptions): Pages<JoinRequest>

  /**
   * Decide requests to join a group.
   *
   * Approves or declines people who ask to join, and returns for each whether the network did it. Networks ban accounts that change groups too often, so the instance makes a limited number of changes in a period, which depends on the network; more are refused with `too_many_group_changes`. If the network does not say whether it was done, the response is `outcome_unknown`.
   *
   * Needs a key with one of the roles `send`, `admin`.
   *
   * This operation is recorded in the audit log.
   */
  decideRequests(name: string, address: string, body: DecideRequestsBody, options?: CallOptions): Promise<ChangedMembers>

  /**
   * Leave a group.
   *
   * Takes the account out of a group. Its messages stay. Networks ban accounts that change groups too often, so the instance makes a limited number of changes in a period, which depends on the network; more are refused with `too_many_group_changes`. If the network does not say whether it was done, the response is `outcome_unknown`.
   *
   * Needs a key with one of the roles `send`, `admin`.
   *
   * This operation is recorded in the audit log.
   */
  leave(name: string, address: string, options?: CallOptions): Promise<undefined>
}

export interface EventsMethods {
  /**
   * Read or follow the events.
   *
   * Returns the events of your organization, oldest first, and the cursor from which to continue. Call it in a loop with the last `next_cursor` as `after` and `Prefer: wait=N`: you miss nothing and see nothing twice, even if a connection breaks.
   *
   * With `Accept: text/event-stream` the response stays open and sends each event as it happens: `event` is its type, `data` the same object as in a page, and `id` a cursor. Without `after`, a stream begins with new events, while a page begins with the oldest event that is kept. When the stream ends, reconnect with the last `id` as `Last-Event-ID`. An `id` without `data` is not an event: it only moves the position from which you would continue. Pages and streams accept each other's cursors. The server disconnects a client that reads nothing for some seconds; the client can reconnect.
   *
   * Events are kept for 30 days, unless the operator chose otherwise. If events after a cursor were removed, the server refuses the cursor with `cursor_expired`, so you never miss events unknowingly. After the server was restored from a backup, it refuses an older cursor with `restored`, and the problem contains the cursor from which to continue.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  list(query?: ListEventsQuery, options?: WaitOptions): Promise<EventPage>

  /**
   * Read an event.
   *
   * Returns an event that is still kept, as it is in the feed and at webhooks.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  get(event: string, options?: CallOptions): Promise<Event>
}

export interface WebhooksMethods {
  /**
   * Create a webhook.
   *
   * Registers a URL that new events are sent to, and returns the secret that signs them. The secret is shown only this once. Deliveries follow Standard Webhooks 1.0.0, so any library for it can verify them.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  create(body: CreateWebhook, options?: CallOptions): Promise<WebhookWithSecret>

  /**
   * List the webhooks.
   *
   * Lists the webhooks of your organization, oldest first.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   */
  list(query?: ListWebhooksQuery, options?: CallOptions): Pages<Webhook>

  /**
   * Read a webhook.
   *
   * Returns the webhook, without its secret.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   */
  get(webhook: string, options?: CallOptions): Promise<Webhook>

  /**
   * Change a webhook.
   *
   * Changes the fields that the body contains. While a webhook is paused, nothing is sent to it, and events collect for as long as they are kept; when it is resumed, they are sent. While it is not enabled, pending deliveries wait as well, but new events are not collected: to send them later, redeliver the events of that time. You can skip a backlog that you no longer need.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  update(webhook: string, body: UpdateWebhook, options?: CallOptions): Promise<Webhook>

  /**
   * Remove a webhook.
   *
   * Removes the webhook and its deliveries. Nothing more is sent to it. The events stay in the feed.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  delete(webhook: string, options?: CallOptions): Promise<undefined>

  /**
   * Test a webhook.
   *
   * Sends an event `webhook.test` to this webhook alone, even if it is not enabled. Send `Prefer: wait=N` to get the result of the first attempt in the response.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  test(webhook: string, options?: WaitOptions): Promise<Delivery>

  /**
   * Try a URL.
   *
   * Posts an event `webhook.test` once to a URL, which need not belong to a webhook, and returns the response of the receiver. Nothing is stored: the event is not in the feed, and its `sequence` is that of the last event. The URL is held to the same rules as that of a webhook. Your organization may try ten times a minute.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  try(body: TryWebhook, options?: CallOptions): Promise<WebhookTrial>

  /**
   * Read what happened to the deliveries of a webhook.
   *
   * Counts the deliveries of a webhook by hours of UTC, oldest first, up to the current hour. Counts are kept for a week.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   */
  getStatistics(webhook: string, query?: GetWebhookStatisticsQuery, options?: CallOptions): Promise<WebhookStatistics>

  /**
   * Rotate the secret of a webhook.
   *
   * Returns a new secret, which is shown only this once. For 24 hours, deliveries are signed with both the old and the new secret, so that you have time to update the receiver. If you rotate the secret twice in that time, the oldest one is no longer used.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  rotateSecret(webhook: string, options?: CallOptions): Promise<WebhookWithSecret>

  /**
   * List the deliveries of a webhook.
   *
   * Lists the deliveries with every attempt, newest first. They are kept for as long as their events.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   */
  listDeliveries(webhook: string, query?: ListDeliveriesQuery, options?: CallOptions): Pages<Delivery>

  /**
   * Deliver an event to a webhook.
   *
   * Delivers an event that is still kept to this webhook, again or for the first time, even if the webhook does not ask for events of its type or instance. The event and its `webhook-id` stay the same, so a receiver can recognize an event that it already has.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  deliver(webhook: string, body: DeliverEvent, options?: CallOptions): Promise<Delivery>

  /**
   * Read a delivery.
   *
   * Returns the delivery with every attempt.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   */
  getDelivery(webhook: string, delivery: string, options?: CallOptions): Promise<Delivery>

  /**
   * Deliver an event again.
   *
   * Delivers the event of this delivery once more, as a new delivery with its own attempts. The event and its `webhook-id` stay the same, so a receiver can recognize an event that it already has.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  redeliver(webhook: string, delivery: string, options?: CallOptions): Promise<Delivery>

  /**
   * Deliver the events of a period again.
   *
   * Delivers the events of a period that match the current settings of the webhook: `missing` only those without a delivered or pending delivery, `all` every one. One request examines at most 100,000 events: if `next_since` is not null, repeat the request with it as `since`.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  redeliverEvents(webhook: string, body: RedeliverEvents, options?: CallOptions): Promise<Redelivery>

  /**
   * Skip the backlog of a webhook.
   *
   * Skips the pending deliveries of events that happened before a given time: they become `skipped`. Attempts in progress may still arrive. The webhook need not be paused. One request examines at most 100,000 deliveries: if `done` is false, repeat the request. Skipped events stay in the feed and can be redelivered.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  skipBacklog(webhook: string, body: SkipBacklog, options?: CallOptions): Promise<SkippedBacklog>
}

export interface NetworksMethods {
  /**
   * List the networks.
   *
   * Lists the messaging networks that this server supports, on one page: the abilities and limits of each, the settings and credentials of its instances, and all its codes. The section of each network in the reference is made from the same data.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  list(options?: CallOptions): Promise<NetworkPage>
}

export interface QuotasMethods {
  /**
   * Read the quotas of the organization.
   *
   * Returns how much your organization uses of each quota that the operator set, and how much is left.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`, that is not limited to some instances.
   */
  get(options?: CallOptions): Promise<Quotas>
}

export interface StatisticsMethods {
  /**
   * Count what happened to messages.
   *
   * Returns, for each hour (or each minute or day, with `interval`), how many messages were accepted, sent, delivered and so on, how long sending took, and how many messages were in the queue at the end. Each step of a message counts once, in the hour of its event: a message that is accepted at 9:59 and sent at 10:01 counts as accepted in one hour and as sent in the next. A message that becomes `unknown`, and is later found to have arrived, counts as both. Messages that the account sent from another client are not counted.
   *
   * Events are counted some seconds after they happen: every event before `counted_until` is counted. Counts are kept for 400 days, and those of minutes for 3 hours (`counted_from` says where the counts begin), even if their instance is removed; a new instance with the same name continues them. Latencies are estimated from fixed buckets, four for each doubling of the time, from a millisecond to 49 days, so their error is at most 10%.
   *
   * A key that is limited to some instances gets their sum. Only the first 10,000 instances that are active in an hour or in a day, and the first 1,000 in a minute, have counts of their own for it: the messages of others count only for the whole organization.
   *
   * Needs a key with one of the roles `read`, `send`, `admin`.
   */
  get(query?: GetStatisticsQuery, options?: CallOptions): Promise<Statistics>
}

export interface AuditMethods {
  /**
   * Read the audit log.
   *
   * Lists the changes that keys of your organization and the operator made, newest first: every operation that changes something, except sending, and every operator command that concerns your organization. It also lists requests that were refused because the key lacked a permission or because of a conflict; identical refusals of one key are listed once a minute. Entries are kept for 365 days, unless the operator chose otherwise. An entry must match all filters.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   */
  list(query?: ListAuditQuery, options?: CallOptions): Pages<AuditEntry>
}

export interface KeysMethods {
  /**
   * Read your own key.
   *
   * Returns the role, the limits and the organization of the key that came with the request.
   *
   * Needs any key, or the operator's token.
   */
  me(options?: CallOptions): Promise<Me>

  /**
   * List the keys.
   *
   * Lists the keys of your organization, newest first, without the secrets themselves. The server keeps the newest 1,000 keys that were revoked or have expired.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   */
  list(query?: ListKeysQuery, options?: CallOptions): Pages<Key>

  /**
   * Create a key.
   *
   * Creates a key of your organization, and shows it only this once. It cannot outlive the key that creates it. This operation takes no `Idempotency-Key`: the server does not store the key, so it could not show it again. If no response reaches you, list the keys, revoke the one that you did not receive, and create another.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  create(body: CreateKey, options?: CallOptions): Promise<CreatedKey>

  /**
   * Revoke a key.
   *
   * Revokes the key: it is refused from then on, and its event streams end. Keys that it created stay valid. A key may revoke itself; if it is the last one with the role `admin`, only the operator can create another admin key. Revoking a key again changes nothing.
   *
   * Needs a key with the role `admin`, that is not limited to some instances.
   *
   * This operation is recorded in the audit log.
   */
  revoke(id: string, options?: CallOptions): Promise<undefined>
}

export interface OrganizationsMethods {
  /**
   * List the organizations.
   *
   * Lists all organizations of the server by name, with their usage of each quota, their instances, and their messages of the last 24 hours.
   *
   * Needs the operator's token.
   */
  list(query?: ListOrganizationsQuery, options?: CallOptions): Pages<Organization>

  /**
   * Create an organization.
   *
   * Creates an organization. It has no key yet: create the first one next. An organization cannot be renamed or removed.
   *
   * Needs the operator's token.
   *
   * This operation is recorded in the audit log.
   */
  create(body: CreateOrganization, options?: CallOptions): Promise<Organization>

  /**
   * Read an organization.
   *
   * Returns the organization as the list shows it.
   *
   * Needs the operator's token.
   */
  get(organization: string, options?: CallOptions): Promise<Organization>

  /**
   * Change an organization.
   *
   * Changes the fields that the body contains: the words by which people stop and start marketing, for the instances of the organization that have none of their own. They count for messages that arrive from then on.
   *
   * Needs the operator's token.
   *
   * This operation is recorded in the audit log.
   */
  update(organization: string, body: UpdateOrganization, options?: CallOptions): Promise<Organization>

  /**
   * List the keys of an organization.
   *
   * Lists the keys of the organization, as `GET /v1/keys` does for the organization itself.
   *
   * Needs the operator's token.
   */
  listKeys(organization: string, query?: ListOrganizationKeysQuery, options?: CallOptions): Pages<Key>

  /**
   * Create a key of an organization.
   *
   * Creates a key of the organization, such as its first one with the role `admin`, and shows it only this once. This operation takes no `Idempotency-Key`: the server does not store the key, so it could not show it again. If no response reaches you, list the keys, revoke the one that you did not receive, and create another.
   *
   * Needs the operator's token.
   *
   * This operation is recorded in the audit log.
   */
  createKey(organization: string, body: CreateKey, options?: CallOptions): Promise<CreatedKey>

  /**
   * Revoke a key of an organization.
   *
   * Revokes the key, as `DELETE /v1/keys/{id}` does for the organization itself.
   *
   * Needs the operator's token.
   *
   * This operation is recorded in the audit log.
   */
  revokeKey(organization: string, id: string, options?: CallOptions): Promise<undefined>

  /**
   * Read the quotas of an organization.
   *
   * Returns how much the organization uses of each quota, and how much is left.
   *
   * Needs the operator's token.
   */
  getQuotas(organization: string, options?: CallOptions): Promise<Quotas>
}

export interface ServerMethods {
  /**
   * Read the health of the server.
   *
   * Returns the health of the node that responds: its problems, each with what to do, its store and disk, and its queues. The server examines itself at most once in five seconds, so the result may be that old.
   *
   * Needs the operator's token.
   */
  get(options?: CallOptions): Promise<ServerHealth>

  /**
   * Read the audit logs of all organizations.
   *
   * Lists the entries of the audit logs of all organizations, or of one, newest first, as `GET /v1/audit` does for the organization itself. An entry must match all filters.
   *
   * Needs the operator's token.
   */
  listAudit(query?: ListServerAuditQuery, options?: CallOptions): Pages<ServerAuditEntry>
}

export interface NodesMethods {
  /**
   * List the nodes.
   *
   * Lists all nodes that share the database, on one page.
   *
   * Needs the operator's token.
   */
  list(options?: CallOptions): Promise<NodePage>

  /**
   * Drain a node.
   *
   * Makes a node give its instances to the others and take none, so that it can be stopped. If no other node is left that takes instances, it takes them again. It drains until its process is started again. A node that is already draining, or that is gone, stays as it is.
   *
   * Needs the operator's token.
   */
  drain(node: string, options?: CallOptions): Promise<Node>
}

export interface ServiceMethods {
  /**
   * Read this contract.
   *
   * Returns the canonical description of this service, in OpenAPI 3.1. The server validates requests with the same definitions.
   *
   * Needs no key.
   */
  getOpenapi(options?: CallOptions): Promise<OpenApiDocument>

  /**
   * Read about a problem.
   *
   * Explains a problem of the catalogue. The `type` of a problem links here.
   *
   * Needs no key.
   */
  getProblem(code: string, options?: CallOptions): Promise<ProblemExplanation>

  /**
   * Check whether the process is alive.
   *
   * Returns 200 as long as the process can respond at all. For liveness probes: if it fails, restart the process.
   *
   * Needs no key.
   */
  getHealth(options?: CallOptions): Promise<Health>

  /**
   * Check whether the server accepts requests.
   *
   * Returns 200 when the store accepts writes and the server has taken charge of all its instances. For load balancers: returns 503 while the server starts or stops, and while it cannot write to the store, for example because the disk is full.
   *
   * Needs no key.
   */
  getReadiness(options?: CallOptions): Promise<Health>

  /**
   * Read the metrics.
   *
   * Returns the metrics of this process in the Prometheus text format. API keys do not give access, because the metrics cover all organizations. The token for metrics gives access to nothing else, so you can give it to a monitoring system.
   *
   * Needs the token for metrics, or the operator's token.
   */
  getMetrics(options?: CallOptions): Promise<string>
}

/** Every method that is made from an operation. */
export interface MadeMethods {
  readonly instances: InstancesMethods
  readonly messages: MessagesMethods
  readonly conversations: ConversationsMethods
  readonly contacts: ContactsMethods
  readonly groups: GroupsMethods
  readonly events: EventsMethods
  readonly webhooks: WebhooksMethods
  readonly networks: NetworksMethods
  readonly quotas: QuotasMethods
  readonly statistics: StatisticsMethods
  readonly audit: AuditMethods
  readonly keys: KeysMethods
  readonly organizations: OrganizationsMethods
  readonly server: ServerMethods
  readonly nodes: NodesMethods
  readonly service: ServiceMethods
}
