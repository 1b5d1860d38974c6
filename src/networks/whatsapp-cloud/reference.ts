/** Markdown for the reference. */
export const description = `A business phone number at WhatsApp, through the API that Meta hosts. An address is a phone number with its country code, such as
\`+49 151 12345678\`, or a business-scoped user id, such as \`US.13491208655302741918\`: that is how Meta names people who hide their
phone number behind a username. An id is valid only for your own business. The long id of a group is an address, too.

## Setting it up

\`docs/whatsapp-cloud.md\`, in the folder of Posthorn, says each step with its commands. In short:

1. In the app at Meta, add the product WhatsApp. “API Setup” shows \`phone_number_id\` and \`business_account_id\`.
2. Make a system user who may use the app and the account, and a token for them with the permissions
   \`whatsapp_business_messaging\` and \`whatsapp_business_management\`. “App settings”, “Basic” shows the app secret.
3. Create the instance. Choose a verify token yourself.
4. Enter the callback URL of the instance and the verify token at “Configuration”, “Webhook”, and subscribe to the fields
   \`messages\`, \`account_update\`, \`account_review_update\` and \`phone_number_quality_update\`, and to
   \`smb_message_echoes\` if the number is also used in the WhatsApp Business app. Meta must reach the URL over HTTPS, with a
   certificate that everybody trusts.

Without callbacks you can send, but nothing is received, and messages stay \`sent\`. If the operator has an app at Meta that you may use,
leave \`app_secret\` and \`verify_token\` out, and the operator enters the callback URL.

## Whom you can write to

Texts and files reach only people who wrote to this number within the last 24 hours; \`window_ends_at\` of what they wrote says until when.
If Posthorn knows that it is too late, it refuses the message with \`outside_reply_window\`; if it does not know, because they wrote before
the instance was there, WhatsApp decides. A message for later (\`send_at\`) is accepted, and looked at again when it is due. A message from a
template reaches everybody. People who call the number may be answered, too, but Posthorn does not hear of calls.

## One person, two addresses

Meta tells the phone number and the user id of a person together, or only one of them. \`aliases\` of a message shows the others that came with
it. You can send to either; receipts, replies, the 24 hours and lists by \`conversation\` count for both. People who get another phone number
get another user id, and stay the same person here, whether or not they show the number.

## Groups

What people write in a group of the Groups API has the id of the group as \`conversation\`, and the person as \`from\`. Send to that id to
answer all of them: to \`from\`, only that person gets it. \`delivered\` and \`read\` mean that one member has it, or has read it. Posthorn makes
no groups: do that at Meta.

## Templates

You write a template in WhatsApp Manager, and Meta approves it. \`GET /v1/instances/{name}/templates\` lists those of the business account; for
that, the instance needs the setting \`business_account_id\`. \`POST /v1/messages/template\` sends one: \`components\` fills its placeholders, in
the form that Meta describes under “Template messages”, and Meta gets it as you give it:

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

- \`sent\`: Meta took the message. It may still fail, for example with \`recipient_unreachable\`.
- \`delivered\` and \`read\`: Meta says so by callbacks; \`read\` only if the person lets others know.
- Meta does not recognize a repetition. If its answer is lost, the message becomes \`unknown\` and is not sent again. Meta repeats
  Posthorn's id of the message in every status, so the first status that comes shows that it was sent. The same holds if Meta answers with
  the codes 1 or 2, which do not say whether it took the message.
- An error that Meta has added since waits if Meta says that it passes (HTTP 429, \`is_transient\`), ends the connection if it is about the
  access (HTTP 401, or 403 with \`OAuthException\`), and is final otherwise.

## Files

A file is uploaded to Meta and sent from there. Images are JPEG or PNG of up to 5 MB. Audio is AAC, AMR, MP3, MP4 or OGG with Opus, and
has no caption; only OGG with Opus can be a voice note. Documents are plain text, PDF or those of Microsoft Office. If the upload breaks,
nothing was sent, so it is repeated.

## What comes in

Texts, images, documents, audio, videos and stickers, what people choose from buttons and lists, and reactions, edits and deletions as
messages with a \`relation\`. Locations, contacts and orders are received as \`unsupported\`. Meta keeps a file for seven days. What
comes while the instance is stopped waits until it starts.

What the business writes in the WhatsApp Business app comes as messages with \`origin: elsewhere\`, if the number is used there, too; so does
what it changes or takes back there, with a \`relation\`.`
