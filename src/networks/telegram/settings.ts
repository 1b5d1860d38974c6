import Type, { type Static } from 'typebox'

export const settingsSchema = Type.Object({}, { additionalProperties: false, examples: [{}] })

export const credentialsSchema = Type.Object(
  {
    token: Type.String({
      description:
        'The token of the bot, from [@BotFather](https://t.me/botfather). Whoever has it controls the bot.',
      pattern: '^[0-9]{1,16}:[A-Za-z0-9_-]{35}$',
      maxLength: 52,
      examples: ['8000000001:AAExampleExampleExampleExampleExamp'],
    }),
  },
  {
    additionalProperties: false,
    examples: [{ token: '8000000001:AAExampleExampleExampleExampleExamp' }],
  },
)

export type TelegramCredentials = Static<typeof credentialsSchema>
