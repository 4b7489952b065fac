/** Asks one store of a database of this browser, which is made when it is first asked. */
export const indexedStore =
  (name: string, store: string, options?: IDBObjectStoreParameters) =>
  async <T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest): Promise<T> => {
    const opening = indexedDB.open(name, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(store, options)
    const database = await promised<IDBDatabase>(opening)
    try {
      return await promised<T>(ask(database.transaction(store, mode).objectStore(store)))
    } finally {
      database.close()
    }
  }

const promised = <T>(asked: IDBRequest): Promise<T> =>
  new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result as T)
    asked.onerror = () => reject(asked.error ?? new Error('the browser stores nothing'))
  })
