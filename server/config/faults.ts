import { type Name, settingOf } from './settings.ts'

/** What is wrong with a setting and how to mend it; never with a value in it. */
export interface SettingFault {
  /** the variable, option or file to change */
  setting: string
  message: string
  fix: string
}

/** All that is wrong with the configuration. */
export class ConfigFaults extends Error {
  constructor(readonly faults: SettingFault[]) {
    super(faults.map(printed).join('\n'))
  }
}

/** What was read, or all that is wrong with it. */
export function readOrFaults<T>(read: () => T): T | ConfigFaults {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigFaults) return error
    throw error
  }
}

export const printed = ({ setting, message, fix }: SettingFault) => `${setting}: ${message}; ${fix}`

export const missing = (name: Name) => settingFault(name, 'is missing')
export const invalid = (name: Name) => settingFault(name, 'is not valid')

export const settingFault = (setting: Name, message: string) => ({
  setting,
  message,
  fix: `set it to ${settingOf(setting).form}`,
})

/** Whether the fault is one of this setting, given as a value or by its file. */
export const concerns = (name: Name, { setting }: SettingFault) =>
  setting === name || (settingOf(name).secret === true && setting === fileVariable(name))

export const fileVariable = (name: Name) => `${name}_FILE`
