import { domainToUnicode } from 'node:url'
import { domainOf } from '../../kernel/protocol/mail-address.ts'

/** As people read it. */
export const readableAddress = (address: string): string => {
  const domain = domainOf(address)
  return `${address.slice(0, -domain.length)}${domainToUnicode(domain)}`
}
