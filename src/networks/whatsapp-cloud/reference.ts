/** Markdown for the reference. */
export const description = `A business phone number at WhatsApp, through Meta's own API. An address is a phone number
with its country code, such as \`+49 151 12345678\`, or a business-scoped user id, such as \`US.13491208655302741918\`: Meta
uses such ids for people who hide their phone number behind a username. An id is valid only for your own business. The long id
of a group is also an address.

## Setting it up

\`docs/whatsapp-cloud.md\`, in the folder of Posthorn, describes each step with its commands. In short:

1. In the app at Meta, add the product WhatsApp. “API Setup” shows \`phone_number_id\` and \`business_account_id\`.
2. Create a system user who may use the app and the account, and a token for this user with the permissions
   \`whatsapp_business_messaging\` and \`whatsapp_business_management\`. “App settings”, “Basic” shows the app secret.
3. Create the instance. Choose a verify token yourself.
4. Enter the callback URL of the instance and the verify token at “Configuration”, “Webhook”, and subscribe to the fields
   \`messages\`, \`account_update\`, \`account_review_update\` and \`phone_number_quality_update\`, and to
   \`smb_message_echoes\` if the number is also used in the WhatsApp Business app. Meta must reach the URL over HTTPS, with a
   publicly trusted certificate.

Without callbacks you can send, but you receive nothing, and messages stay \`sent\`. If the operator has an app at Meta that you may use,
omit \`app_secret\` and \`verify_token\`, and let the operator enter the callback URL.

## Whom you can write to

Texts and files reach only people who wrote to this number within the last 24 hours; \`window_ends_at\` of their message says
until when. If Posthorn knows that it is too late, it refuses the message with \`outside_reply_window\`; if it does not know,
because they wrote before the instance existed, WhatsApp decides. A scheduled message (\`send_at\`) is accepted, and checked
again when it is due. A template message has no such limit. You may also reply to people who call the number, but Posthorn does
not learn of calls.

## One person, two addresses

Meta gives the phone number and the user id of a person together, or only one of them. \`aliases\` of a message lists the other
addresses that came with it. You can send to either; receipts, replies, the 24 hours and lists by \`conversation\` apply to
both. People who change their phone number get another user id, and stay the same person here, whether or not they show the
number.

## Groups

The groups of this network are those of Meta's Groups API. They are for Official Business Accounts, and for numbers that are used with the Cloud
API alone; a number may have 10,000, and a group eight members besides the business. \`docs/groups.md\` has the operations.

- **Callbacks report the results.** Subscribe to \`group_lifecycle_update\`, \`group_participants_update\`, \`group_settings_update\`
  and \`group_status_update\`; these follow the URL of a number. Meta accepts a request to create, change or delete a group, carries it out later, and reports the result in
  such a callback. Posthorn waits 12 seconds for it. If none comes, you get \`outcome_unknown\`, unless the group itself
  shows that it has the new subject, or is gone. So without \`group_lifecycle_update\` each new group ends with \`outcome_unknown\`.
- **People join by the invite link.** You cannot add people, not even when you create a group, so give no
  \`members\`: send people the link of \`POST …/groups/{address}/invite-link\`, for example with Meta's template for it. A person whom you removed cannot come back by a link.
- **Leaving deletes.** A number cannot leave its group, so \`POST …/groups/{address}/leave\` deletes the group, for all its members.
- Up to eight members are removed at a time. If Meta refuses one, its code says why, for example \`group_member_missing\`.
- The business is the \`owner\` of all its groups and counts as a member, though Meta does not count it; all others are \`member\`. With Meta, you cannot promote members or join other groups.

A message in a group has the id of the group as \`conversation\`, and the person as \`from\`. To reply to the
whole group, send to that id; if you send to \`from\`, only that person gets the message. \`delivered\` and \`read\` mean that one member has the message, or has read it; if it did not reach one of several members, this is not
shown. Meta accepts no messages to a group without other members (\`group_unusable\`), and cannot mark messages
in groups as read.

Sources: the Groups API's pages Group management, Group messaging, Webhooks and Error codes, of October 2025 to May 2026. They do not show Meta's response to a request; that it contains a \`request_id\` is in Meta's reference of the
endpoint for new groups and, for the other endpoints, in what Gupshup and YCloud publish. If a response
contains none, the result is \`outcome_unknown\`, unless the group itself shows it. Posthorn reads lists of
groups in both documented forms.

## Templates

You write a template in WhatsApp Manager, and Meta approves it. \`GET /v1/instances/{name}/templates\` lists the templates of
the business account; for that, the instance needs the setting \`business_account_id\`. \`POST /v1/messages/template\` sends
one: \`components\` fills its placeholders, in the format that Meta describes under “Template messages”, and Posthorn passes it
on unchanged:

\`\`\`json
[
  {"type": "header", "parameters": [{"type": "image", "image": {"link": "https://example.org/header.png"}}]},
  {"type": "body", "parameters": [{"type": "text", "text": "Ana"}, {"type": "text", "text": "4711"}]},
  {"type": "button", "sub_type": "url", "index": "0", "parameters": [{"type": "text", "text": "orders/4711"}]}
]
\`\`\`

A header has the \`id\` of a file at Meta, or a \`link\` that Meta fetches. If a template does not exist, is not approved, or
has other placeholders, the message fails with a code that begins with \`template_\`. An authentication template needs a phone number as
the address.

## How far a message got

- \`sent\`: Meta accepted the message. It may still fail, for example with \`recipient_unreachable\`.
- \`delivered\` and \`read\`: Meta reports them by callbacks; \`read\` only if the person has read receipts turned on.
- Meta does not recognize a repetition. If its response is lost, the message becomes \`unknown\`, and Posthorn does not send it
  again. Meta repeats Posthorn's id of the message in every status, so the first status shows that the message was sent. The
  same applies if Meta responds with the codes 1 or 2, which do not say whether it accepted the message.
- After an error code that Posthorn does not know, the message waits if Meta marks the error as temporary (HTTP 429,
  \`is_transient\`). If the error is about access (HTTP 401, or 403 with \`OAuthException\`), the connection ends. Any other
  such error is final.

## What you can send

Besides texts, files and templates: replies to any message (with a template, too), reactions, locations, contacts, and questions with up to three
buttons, a list of up to ten rows, or a button that opens a page, each with a header and a footer if you like. The buttons of
a message need different titles. WhatsApp has no edits, retractions, polls or mentions for businesses, so Posthorn refuses them.

- The 24 hours apply to all of these, including reactions, but not to templates. - Meta reports only that a
reaction was sent, so it stays \`sent\`. A reaction to a message that is gone, is older than 30 days, or is
itself a reaction fails with \`message_invalid\`. - Meta allows lists with a body of more than 1,024
characters, but Posthorn accepts 1,024 for every question.
- In groups, Meta documents texts, files and templates only, and decides about the rest.

## Files

A file is uploaded to Meta and sent from there. Images are JPEG or PNG of up to 5 MB. Videos are MP4 or 3GP of up to 16 MB, with H.264 and
AAC. Audio is AAC, AMR, MP3, MP4 or OGG with Opus, and has no caption; only OGG with Opus can be a voice note. Stickers are WebP of up to
100 KB, or 500 KB if they move, and have no caption. Documents are plain text, PDF or Microsoft Office files. If the upload breaks,
nothing was sent, so it is repeated.

## What comes in

Posthorn receives texts, images, documents, audio, videos, stickers, locations, contacts and orders; reactions, edits and deletions come
as messages with a \`relation\`. \`sender\` has the name and the username that people chose. Meta keeps a file for seven days. Messages
that come while the instance is stopped wait until it starts.

- A tap on a button or a row is a \`button_reply\` or \`list_reply\` with its \`id\`, and with the \`payload\` that you sent. A quick reply
  of a template has no \`id\`, but a \`payload\`: the one that you sent as a parameter of the button, or else its words.
- A form that was filled in is a \`flow_reply\`. \`response\` has the answers as Meta sends them; if they cannot be read, or have more than
  32 KB, \`text\` has them as they were written.
- \`referral\` names the ad, the post or the product that led a person to write; \`click_id\` is Meta's \`ctwa_clid\`.
- Everything else is \`unsupported\` with Meta's own name for it, such as \`poll_creation\`, and with any text that it has.

If the number is also used in the WhatsApp Business app, messages that the business writes there come with \`origin:
elsewhere\`; so do its edits and deletions there, with a \`relation\`. Calls are not shown yet.

## Marketing

A person can stop the marketing of a business in WhatsApp, and resume it. Meta reports this with \`user_preferences\`, or by rejecting a message (131050): the contact shows \`marketing\`, you get \`contact.opted_out\` or \`contact.opted_in\`, and templates of the category
\`marketing\` are refused from then on. The category is the one that Meta lists for the business account (\`business_account_id\`), or reports with a
template. \`template.status_changed\` reports each of Meta's decisions on a template. Meta posts the fields for
all this only to the callback URL of the app, even if a number has its own URL, so the app's URL must lead to
Posthorn.

## Showing that you are typing

\`POST /v1/instances/{name}/typing\` shows this to a person who has written to the number, until your reply arrives or for 25 seconds; Meta accepts
no other duration. It refers to the person's newest message, which Meta also marks as read.`
