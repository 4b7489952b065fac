import ipaddr from 'ipaddr.js'

/**
 * A bound on what all clients use of a resource together, and on what one of them may use. The client is
 * an IPv4 address or an IPv6 /64, because a /64 is what one customer of a provider gets.
 */
export class ClientBudget {
  readonly #total: number
  readonly #perClient: number
  readonly #usedBy = new Map<string, number>()
  #used = 0

  constructor(bounds: { total: number; perClient: number }) {
    this.#total = bounds.total
    this.#perClient = bounds.perClient
  }

  /** Takes `amount` for a client, or returns false and takes nothing. */
  take(client: string, amount: number): boolean {
    const usedByClient = (this.#usedBy.get(client) ?? 0) + amount
    if (usedByClient > this.#perClient || this.#used + amount > this.#total) return false
    this.add(client, amount)
    return true
  }

  /** Takes `amount` whatever the bounds are, of what exists already. */
  add(client: string, amount: number): void {
    this.#usedBy.set(client, (this.#usedBy.get(client) ?? 0) + amount)
    this.#used += amount
  }

  /** Returns what was taken. */
  release(client: string, amount: number): void {
    const left = (this.#usedBy.get(client) ?? 0) - amount
    if (left > 0) this.#usedBy.set(client, left)
    else this.#usedBy.delete(client)
    this.#used -= amount
  }

  get used(): number {
    return this.#used
  }

  /** Whether more is taken than all may have together. */
  get isExceeded(): boolean {
    return this.#used > this.#total
  }

  /** Whether a client has all that it may have. */
  isUsedUp(client: string): boolean {
    return (this.#usedBy.get(client) ?? 0) >= this.#perClient
  }
}

const IPV6_PREFIX_PARTS = 4
const SITE_PREFIX_PARTS = 3

/**
 * Who shares what all clients have together: the IPv4 address, or the /48 of the IPv6 address, which a site gets, with
 * 65,536 times a /64.
 */
export const networkOf = (client: string): string => client.split(':', SITE_PREFIX_PARTS).join(':')

/** Addresses whose client is remembered: reading an address costs as much as answering a small request from memory. */
const MAX_REMEMBERED_ADDRESSES = 1_024
const remembered = new Map<string, string>()

/** Who is counted as one client: the IPv4 address, or the /64 of the IPv6 address. */
export function clientOf(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  const known = remembered.get(address)
  if (known !== undefined) return known
  const client = readClient(address)
  if (remembered.size >= MAX_REMEMBERED_ADDRESSES) remembered.clear()
  remembered.set(address, client)
  return client
}

function readClient(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return (parsed as ipaddr.IPv6).parts.slice(0, IPV6_PREFIX_PARTS).join(':')
}
