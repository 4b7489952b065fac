import { isRightToLeft } from '../../../src/kernel/base/languages/format.ts'
import { t } from '../../shared/messages.ts'
import { language, locale } from '../../shared/meta.ts'
import text from './places.txt?raw'

// Towns and cities by name, for the place in a profile. The list is loaded with this file, when somebody needs it. It is made of
// city-timezones 1.3.4 (MIT License, Kevin Roberts), which is made of Natural Earth (public domain): name, country, hundredths of
// degrees north and east, and the province where a country has several of that name; the largest first.

export type Place = { readonly name: string; readonly latitude: number; readonly longitude: number }

const MAX_FOUND = 8
/** A place that is not in the list is near one that is, or it has no name here. */
const NEAR_KM = 50
const KM_OF_DEGREE = 111

const COUNTRIES = new Intl.DisplayNames(locale, { type: 'region' })

/** `London, United Kingdom`. Where lines run from right to left the name in Latin letters is apart, and so comes first there, too. */
const nameOf = (parts: readonly string[]): string =>
  isRightToLeft(language)
    ? `\u200F${parts.map((part) => `\u2068${part}\u2069`).join('، ')}`
    : parts.join(', ')

type Row = Place & { readonly searched: string }

const rows: readonly Row[] = text
  .trim()
  .split('\n')
  .map((line) => {
    const [city = '', country = '', north, east, province] = line.split('|')
    const name = nameOf([city, province, COUNTRIES.of(country)].filter(Boolean) as string[])
    const place = { name, latitude: Number(north) / 100, longitude: Number(east) / 100 }
    return { ...place, searched: folded(name) }
  })

/** Places whose names begin with what was typed, then those that contain it. */
export function findPlaces(typed: string): readonly Place[] {
  const wanted = folded(typed.trim())
  if (wanted === '') return []
  const begin = rows.filter(({ searched }) => searched.startsWith(wanted)).slice(0, MAX_FOUND)
  const others = rows.filter(
    ({ searched }) => searched.includes(` ${wanted}`) && !searched.startsWith(wanted),
  )
  return [...begin, ...others].slice(0, MAX_FOUND)
}

/** The name of a place; `near` one when it is another; undefined when none is near. */
export function placeName(latitude: number, longitude: number): string | undefined {
  let nearest: Row | undefined
  let least = NEAR_KM
  for (const row of rows) {
    const km = distance(row, latitude, longitude)
    if (km < least) {
      least = km
      nearest = row
    }
  }
  return nearest && (least < 1 ? nearest.name : t('near {name}', { name: nearest.name }))
}

/** Kilometres, good enough for near places. */
function distance(place: Place, latitude: number, longitude: number): number {
  const across = Math.abs(place.longitude - longitude)
  const east = Math.min(across, 360 - across) * Math.cos((latitude * Math.PI) / 180)
  return KM_OF_DEGREE * Math.hypot(place.latitude - latitude, east)
}

/** Without what people do not type: case and accents. */
function folded(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{Mn}\p{Cf}]/gu, '')
    .toLowerCase()
}
