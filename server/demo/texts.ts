/** What people report, by words in a section's id or label; the last entry fits anywhere. */
export const texts: [words: RegExp, reports: string[]][] = [
  [
    /power|supply|regulator|volt|psu|dc/i,
    [
      'Drops to 4.6 V as soon as the motor starts, and the board resets.',
      'The regulator is too hot to touch after ten minutes without load.',
      'Whines audibly when the display is dimmed.',
      'No output at all until the plug is pulled out and put in again.',
      'Ripple of about 200 mV on the 3.3 V rail under load.',
      'Fuse blew on first power-up; the replacement holds.',
    ],
  ],
  [
    /usb|port|connector|jack|header|socket|hdmi|ethernet|network|lan/i,
    [
      'The socket sits loose; the plug has to be held at an angle.',
      'Is only recognised after plugging in three times.',
      'One pin is bent and touches its neighbour.',
      'The shield is not soldered on the left side.',
      'Link drops every few minutes, always with the long cable.',
    ],
  ],
  [
    /cpu|mcu|processor|controller|core|soc|fpga/i,
    [
      'Hangs after about two hours; only a power cycle helps.',
      'Runs at 85 °C in idle, the heat sink barely touches it.',
      'Does not enter the boot loader although BOOT is held down.',
      'Resets when somebody touches the case, static I suppose.',
      'Solder bridge between two pins on the lower edge.',
    ],
  ],
  [
    /memory|ram|flash|eeprom|storage|sd|ssd/i,
    [
      'Memory test fails at the same address on every second run.',
      'Settings are gone after the battery was changed.',
      'Card is not found when the board is cold.',
      'Writes take seconds; on the other unit they are instant.',
    ],
  ],
  [
    /display|screen|lcd|oled|led|light/i,
    [
      'One column stays dark.',
      'Flickers at low brightness.',
      'Green is much weaker than on the sample from March.',
      'The ribbon cable slips out when the lid is closed.',
    ],
  ],
  [
    /sensor|temp|adc|analog|probe|accel|gyro/i,
    [
      'Reads 3 °C too high against the reference.',
      'Value jumps by 40 counts whenever the relay switches.',
      'Returns zero after waking up from sleep.',
      'Drifts all morning, steady in the afternoon.',
    ],
  ],
  [
    /radio|wifi|wlan|antenna|bluetooth|rf|lora|gps/i,
    [
      'Range is three metres instead of thirty.',
      'The antenna plug was not pushed in; it came that way from assembly.',
      'Loses the connection while the pump is running.',
      'Never finds a fix indoors, the old revision did.',
    ],
  ],
  [
    /audio|speaker|mic|sound|buzzer/i,
    ['Crackles at every volume above half.', 'Silent on the left channel.', 'Beeps by itself at night.'],
  ],
  [
    /battery|charg|cell/i,
    [
      'Stops charging at 80 percent.',
      'The cell has swollen slightly and lifts the cover.',
      'Shows full, dies within the hour.',
      'Polarity on the silk screen is the wrong way round.',
    ],
  ],
  [
    /button|switch|key|knob|encoder|relay|motor|fan/i,
    [
      'Has to be pressed twice.',
      'Sticks after a drop of coffee, sorry.',
      'Bounces: one press counts as three.',
      'Clicks but does not switch the output.',
    ],
  ],
  [
    /clock|crystal|oscillator|timer|rtc/i,
    [
      'Is eleven minutes slow after a week.',
      'Does not start below 5 °C.',
      'The can of the crystal touches the via next to it.',
    ],
  ],
  [
    /./,
    [
      'Cold solder joint, reflowed it, works since.',
      'Hairline crack in the board next to the mounting hole.',
      'Flux residue everywhere, please clean this batch.',
      'Label and part do not match: label says rev. C, part is rev. B.',
      'Worked yesterday, dead today, nothing was changed.',
      'Capacitor is placed the wrong way round.',
      'Smells burnt after an hour in the climate chamber.',
      'Works on the bench, fails in the housing.',
      'A part is missing here. On purpose?',
      'Corrosion under the coating after the salt spray test.',
      'The screw is too long and scratches the trace below.',
      'Intermittent. Tapping it with a pen brings the fault back.',
    ],
  ],
]

export const projectNames = [
  'Aurora handheld',
  'Depot gateway',
  'Greenhouse node',
  'Lab bench rev. C',
  'Tram display',
  'Воздух-2',
]
