// The form of names. Ownership is decided elsewhere.

import { Rejection } from './rejection.ts'

type UsernameKind = 'fname' | 'ens' | 'basename'

export const FNAME_MAX_CHARACTERS = 16
export const ENS_MAX_CHARACTERS = 20
export const BASENAME_MAX_CHARACTERS = 25

/** A lowercase letter or digit, then up to 15 letters, digits and hyphens. */
export const FNAME_PATTERN = /^[a-z0-9][a-z0-9-]{0,15}$/

/** The kind of a username, told by its ending alone: ".base.eth", then ".eth", else an fname. */
export function usernameKind(name: string): UsernameKind {
  if (name.endsWith('.base.eth')) return 'basename'
  return name.endsWith('.eth') ? 'ens' : 'fname'
}

/** Throws Rejection validation_failure unless the name is a registry name. */
export function checkFname(name: string, field = 'name'): void {
  if (name === '') throw invalid('fname is missing', field)
  if (name.length > FNAME_MAX_CHARACTERS) {
    throw invalid(`fname "${name}" > ${FNAME_MAX_CHARACTERS} characters`, field)
  }
  if (!FNAME_PATTERN.test(name)) {
    throw invalid(`fname "${name}" doesn't match ${FNAME_PATTERN}`, field)
  }
}

/** Throws Rejection validation_failure unless the name is `label.eth` with an fname as label. */
export function checkEnsName(name: string, field = 'name'): void {
  checkDotEth(name, ENS_MAX_CHARACTERS, 'eth', field)
}

/** Throws Rejection validation_failure unless the name is `label.base.eth` with an fname as label. */
export function checkBasename(name: string, field = 'name'): void {
  checkDotEth(name, BASENAME_MAX_CHARACTERS, 'base.eth', field)
}

function checkDotEth(name: string, maxCharacters: number, suffix: string, field: string): void {
  if (name === '') throw invalid('ensName is missing', field)
  if (!name.endsWith('.eth')) throw invalid(`ensName "${name}" doesn't end with .eth`, field)
  const dot = name.indexOf('.')
  const label = name.slice(0, dot)
  if (name.slice(dot + 1) !== suffix) {
    throw invalid(`ensName "${name}" unsupported subdomain`, field)
  }
  if (name.length > maxCharacters) {
    throw invalid(`ensName "${name}" > ${maxCharacters} characters`, field)
  }
  if (!FNAME_PATTERN.test(label)) {
    throw invalid(`ensName "${name}" doesn't match ${FNAME_PATTERN}`, field)
  }
  // Of the names the pattern allows, ENSIP-15 refuses just those that look like punycode ("xn--").
  if (label.slice(2, 4) === '--') {
    throw invalid(`ensName "${name}" is not a valid ENS name`, field)
  }
}

function invalid(text: string, field: string): Rejection {
  return new Rejection('bad_request.validation_failure', text, { field })
}
