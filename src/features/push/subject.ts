/** Neither an address of this machine nor of a private network, which push services such as Apple's refuse. */
const MAIL_ADDRESS = /^(?:mailto:)?([^\s@<>,;:]+@[^\s@<>,;:]+\.[a-z][a-z0-9-]*)$/i
/** Of a server that has neither address. Apple's push service refuses it. */
const NOBODY = 'https://rookery.invalid'

/**
 * How push services reach who runs this server, an https or mailto URL (RFC 8292, 2.1): the public address, else the
 * contact that the operator states when it is such an address.
 */
export function pushSubject(publicUrl: string | undefined, contact: string): string {
  if (publicUrl?.startsWith('https:')) return publicUrl
  const mail = MAIL_ADDRESS.exec(contact.trim())?.[1]
  if (mail !== undefined) return `mailto:${mail}`
  return URL.parse(contact)?.protocol === 'https:' ? contact.trim() : NOBODY
}
