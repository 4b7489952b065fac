import { type ReactNode, useId } from 'react'

type FieldProps = {
  label: string
  help: string
  isBad?: boolean
  children: (id: string, helpId: string) => ReactNode
}

/** A labelled field with a line that explains it or says what is wrong. */
export function Field({ label, help, isBad = false, children }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id, `${id}-help`)}
      <p id={`${id}-help`} className={isBad ? 'help bad' : 'help'} aria-live="polite">
        {help}
      </p>
    </div>
  )
}
