import { isDeepStrictEqual } from 'node:util'
import { originOf } from '../../kernel/base/web-domain.ts'
import type { Fault } from './faults.ts'
import { FIELDS, type Manifest, REQUIRED_FIELDS, type Wrong } from './manifest-fields.ts'

export type ManifestTerms = {
  readonly domain: string
  /** URLs of this machine are warnings; else they are errors. */
  readonly allowLoopback: boolean
  /** A home page elsewhere is a warning, and the pages at the same paths of the domain are taken in place of it. */
  readonly anyHome: boolean
}

export type ReadManifest = {
  /** Undefined when there is an error. */
  readonly manifest: Manifest | undefined
  readonly faults: readonly Fault[]
}

const asError = (code: Fault['code'], path: string, { message, fix }: Wrong): Fault => ({
  severity: 'error',
  code,
  path,
  message,
  fix,
})

/** Checks the fields of a document that was fetched from a domain. All faults are found, not only the first. */
export function readManifest(document: unknown, terms: ManifestTerms): ReadManifest {
  const root = objectOf(document)
  if (!root) {
    const fix = 'Answer with {"accountAssociation": {...}, "miniapp": {...}}.'
    return failed([asError('field', 'manifest', { message: 'is not a JSON object', fix })])
  }
  const [name, config] = configOf(root)
  if (!config) {
    const message = 'is missing'
    const fix = 'Add an object "miniapp" with version, name, iconUrl and homeUrl.'
    return failed([asError('field', 'miniapp', { message, fix })])
  }
  const faults: Fault[] = []
  if (root.miniapp && root.frame && !isDeepStrictEqual(root.miniapp, root.frame)) {
    const message = 'differs from "miniapp"'
    faults.push(asError('field', 'frame', { message, fix: 'Make both equal, or remove "frame".' }))
  }
  const values = readFields(config, name, terms, faults)
  checkAddresses(values as Partial<Manifest>, name, terms, faults)
  if (faults.some(({ severity }) => severity === 'error')) return failed(faults)
  return { manifest: values as Manifest, faults }
}

const failed = (faults: Fault[]): ReadManifest => ({ manifest: undefined, faults })

const objectOf = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined

function configOf(root: Readonly<Record<string, unknown>>) {
  const name = root.miniapp === undefined ? 'frame' : 'miniapp'
  return [name, objectOf(root[name])] as const
}

function readFields(
  config: Readonly<Record<string, unknown>>,
  name: string,
  terms: ManifestTerms,
  faults: Fault[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [field, kind] of Object.entries(FIELDS)) {
    const path = `${name}.${field}`
    const isRequired = (REQUIRED_FIELDS as readonly string[]).includes(field)
    if (config[field] === undefined) {
      const missing = { message: 'is missing', fix: `Add "${field}".` }
      if (isRequired) faults.push(asError('field', path, missing))
      continue
    }
    const { value, wrong } = kind(config[field], terms)
    if (wrong?.isLoopback) faults.push(loopback(path, wrong))
    else if (wrong) faults.push(asError('field', path, wrong))
    values[field] = value
  }
  if (values.name === '') {
    const wrong = { message: 'is empty', fix: 'Write the name that people shall see.' }
    faults.push(asError('field', `${name}.name`, wrong))
  }
  return values
}

const loopback = (path: string, { message, fix }: Wrong): Fault => ({
  severity: 'warning',
  code: 'loopback',
  path,
  message: `${message}, and is refused in production`,
  fix,
})

/** What the addresses of a manifest have to do with each other and with the domain. */
function checkAddresses(
  values: { -readonly [K in keyof Manifest]?: Manifest[K] },
  name: string,
  { domain, anyHome }: ManifestTerms,
  faults: Fault[],
): void {
  const { homeUrl, castShareUrl } = values
  if (homeUrl === undefined) return
  const home = new URL(homeUrl)
  if (castShareUrl !== undefined && new URL(castShareUrl).hostname !== home.hostname) {
    const wrong = {
      message: 'is on another host than homeUrl',
      fix: `Move it to ${home.hostname}, or remove it.`,
    }
    faults.push(asError('field', `${name}.castShareUrl`, wrong))
  }
  if (home.host === domain) return
  const message = `is on ${home.host}, and this manifest is that of ${domain}`
  const fix = `Serve the manifest at ${home.origin}/.well-known/farcaster.json, or set homeUrl to a page of ${domain}.`
  if (!anyHome) {
    faults.push(asError('home_elsewhere', `${name}.homeUrl`, { message, fix }))
    return
  }
  faults.push({
    severity: 'warning',
    code: 'home_elsewhere',
    path: `${name}.homeUrl`,
    message,
    fix,
  })
  values.homeUrl = atDomain(home, domain)
  if (castShareUrl !== undefined) values.castShareUrl = atDomain(new URL(castShareUrl), domain)
}

/** The same page of another domain. */
const atDomain = ({ pathname, search }: URL, domain: string): string =>
  `${originOf(domain)}${pathname}${search}`
