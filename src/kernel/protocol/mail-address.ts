// E-mail addresses as they are stored and sent to: in lower case, with the domain in ASCII. Mailboxes that differ in case alone are one
// with every provider that matters. Local parts in other scripts or between quotation marks are not taken: many servers refuse them.

/** RFC 5321, 4.5.3.1. */
export const MAX_ADDRESS_CHARACTERS = 254
const MAX_LOCAL_CHARACTERS = 64
const MAX_DOMAIN_CHARACTERS = 253
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
/** Two labels or more, and no IP address. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/
/** What is not the host alone when it is read as part of a URL. */
const NOT_HOST = /[\s/?#@:\\[\]%]/

/** Undefined for what is no address that mail can be sent to. */
export function parseMailAddress(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > MAX_ADDRESS_CHARACTERS) return undefined
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, Math.max(0, at)).toLowerCase()
  const host = trimmed.slice(at + 1)
  const domain = NOT_HOST.test(host) ? '' : (URL.parse(`http://${host}`)?.hostname ?? '')
  if (local.length > MAX_LOCAL_CHARACTERS || !LOCAL.test(local)) return undefined
  if (domain.length > MAX_DOMAIN_CHARACTERS || !DOMAIN.test(domain)) return undefined
  const address = `${local}@${domain}`
  return address.length <= MAX_ADDRESS_CHARACTERS ? address : undefined
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** The address without what follows a + in its local part: many providers file all of these in one mailbox. */
export const mailboxOf = (address: string): string =>
  `${localOf(address).split('+', 1)[0]}@${domainOf(address)}`

const localOf = (address: string): string => address.slice(0, address.lastIndexOf('@'))
