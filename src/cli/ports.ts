import { SETTING_GROUPS } from '../config.ts'
import { wholeNumber } from './arguments.ts'

// A second network on one machine: the front door has another port, and every other port moves with it.

type Ports = Readonly<Record<string, string>>

const FRONT_DOOR = 'ROOKERY_WEB_PORT'
const MAX_PORT = 65_535
/** Lower ones are not for every user. */
const MIN_PORT = 1_024

/** The usual port of each interface, by its variable. */
const USUAL = new Map(
  SETTING_GROUPS.flatMap(({ settings }) => Object.values(settings))
    .filter(({ isPort }) => isPort)
    .map(({ variable, defaults }) => [variable, Number(defaults.development)] as const),
)
const frontDoor = USUAL.get(FRONT_DOOR)!
const [lowest, highest] = [Math.min(...USUAL.values()), Math.max(...USUAL.values())]

/** Parses the port of a front door beside which all others have room. */
export const portArgument = wholeNumber(
  MIN_PORT + frontDoor - lowest,
  MAX_PORT - (highest - frontDoor),
)

/** The ports of all interfaces for a given port of the front door. */
export const portsBeside = (port: number): Ports =>
  Object.fromEntries(
    [...USUAL].map(([variable, usual]) => [variable, String(usual + port - frontDoor)]),
  )
