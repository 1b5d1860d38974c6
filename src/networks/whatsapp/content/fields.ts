/** The fields of the protobuf message `Message`, by name, as far as they are set. */
export type WhatsAppContent = Readonly<Record<string, unknown>>
