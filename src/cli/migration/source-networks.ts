/** A kind of account that other gateways have, and our network for it. */
export interface SourceNetwork {
  readonly network: string
  /** The reason why a person has to create the instance; undefined if Posthorn can. */
  readonly byHand?: string
}

/** A WhatsApp account that is linked as a web client. */
export const linkedAccount: SourceNetwork = { network: 'whatsapp' }

/** Our network for each `integration` of Evolution API. */
export const integrations: Readonly<Record<string, SourceNetwork>> = {
  'WHATSAPP-BAILEYS': linkedAccount,
  'WHATSAPP-BUSINESS': {
    network: 'whatsapp-cloud',
    byHand: 'it needs credentials from Meta; create it as docs/whatsapp-cloud.md says',
  },
}

/** The integration of an instance that names none. */
export const usualIntegration = 'WHATSAPP-BAILEYS'
