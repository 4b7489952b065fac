import { type FormEvent, useId } from 'react'

/** People write localhost:5173. */
export function addressOf(text: string): string | undefined {
  const trimmed = text.trim()
  const isLocal = /^(?:[a-z0-9-]+\.)?(?:localhost|127\.0\.0\.1)(?::|\/|$)/i.test(trimmed)
  const url = URL.parse(
    /^https?:\/\//i.test(trimmed) ? trimmed : `http${isLocal ? '' : 's'}://${trimmed}`,
  )
  return trimmed !== '' && url && url.username === '' ? url.href : undefined
}

type Props = {
  label: string
  placeholder: string
  given: string
  open: (url: string) => void
}

/** Where a developer writes the address of what runs on their machine. */
export function AddressForm({ label, placeholder, given, open }: Props) {
  const id = useId()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    open(String(new FormData(event.currentTarget).get('url') ?? '').trim())
  }
  return (
    <form className="room-address" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        key={given}
        name="url"
        inputMode="url"
        placeholder={placeholder}
        defaultValue={given}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck="false"
      />
      <button type="submit" className="primary">
        Open
      </button>
    </form>
  )
}
