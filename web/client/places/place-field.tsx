import { useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { isComposing } from '../parts/composing.ts'
import { findPlaces, type Place, placeName } from './places.ts'
import './places.css'

type Props = {
  id: string
  describedBy: string
  /** `51.51, -0.08`, or empty. */
  value: string
  onChange: (value: string) => void
}

/** A town or city, chosen by its name. */
export function PlaceField({ id, describedBy, value, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const found = findPlaces(typed)
  const choose = ({ latitude, longitude }: Place) => {
    setTyped('')
    onChange(`${latitude}, ${longitude}`)
  }
  return (
    <>
      {value !== '' && (
        <p className="chosen-place">
          <Icon name="place" />
          <bdi>{nameOf(value)}</bdi>
          <button type="button" className="secondary" onClick={() => onChange('')}>
            {t('Remove')}
          </button>
        </p>
      )}
      <input
        id={id}
        type="search"
        value={typed}
        aria-describedby={describedBy}
        placeholder={value === '' ? t('Town or city') : t('Another town or city')}
        maxLength={64}
        autoComplete="off"
        spellCheck="false"
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || typed === '' || isComposing(event)) return
          event.preventDefault()
          if (found[0]) choose(found[0])
        }}
      />
      {found.length > 0 && (
        <ul className="suggestions" aria-label={t('Places')}>
          {found.map((place) => (
            <li key={`${place.latitude} ${place.longitude}`}>
              <button type="button" onClick={() => choose(place)}>
                <bdi>{place.name}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
      {typed.trim().length > 1 && found.length === 0 && (
        <p className="help" role="status">
          {t('No such town is in the list: choose a larger one near it.')}
        </p>
      )}
    </>
  )
}

function nameOf(value: string): string {
  const [latitude = 0, longitude = 0] = value.split(',').map(Number)
  return placeName(latitude, longitude) ?? value
}
