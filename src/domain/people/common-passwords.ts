/** The most common passwords of at least the minimum length, in lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `1234567890 12345678910 123456789a 1234567891 0123456789 0987654321 1234512345 123456123456 1234567890a 123123123123
  111222333444 11223344556677 1q2w3e4r5t 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx3edc 1qazxsw23edc qwertyuiop qwertyuiop1
  qwertyuiop123 qwerty12345 qwerty123456 qwerty1234 qwertyqwerty qwertz12345 qwertzuiop azertyuiop asdfghjkl1 asdfghjklö
  asdfghjkl; zxcvbnm123 q1w2e3r4t5 q1w2e3r4t5y6 abcdefghij abcd123456 abcde12345 abc123abc123 aa12345678 a123456789
  password10 password11 password12 password123 password1234 password12345 password123! password1! password01 passw0rd12
  passw0rd123 p@ssw0rd123 p@ssword123 passwordpassword mypassword mypassword1 newpassword changeme123 changeme1234
  letmein123 letmein1234 welcome123 welcome1234 welcome2024 welcome2025 welcome2026 admin12345 admin123456 adminadmin
  administrator administrator1 superadmin root123456 rootpassword toor123456 secret1234 secretpassword default123
  temp123456 temporary1 test123456 testtest123 test1234test guest12345 user123456 username123 iloveyou123 iloveyou12
  iloveyou1234 princess123 sunshine123 football123 baseball123 superman123 batman12345 dragon12345 monkey12345
  trustno1trustno1 michael123 charlie123 jordan12345 liverpool1 liverpool123 chelsea123 arsenal123 barcelona1
  starwars123 pokemon123 minecraft123 computer123 internet123 samsung123 google12345 facebook123 linkedin123
  whatever123 freedom123 shadow12345 master12345 killer12345 hello12345 helloworld helloworld1 hello123456 goodmorning
  blink182blink correcthorsebatterystaple summer2024 summer2025 summer2026 winter2024
  winter2025 winter2026 spring2025 spring2026 autumn2025 autumn2026 company123 drydock123 drydockdrydock 147258369a
  741852963a 987654321a 999999999a 00000000000a 55555aaaaa zaq12wsxcde3 !qaz2wsx3edc pakistan123 password@123 admin@1234
  admin@12345 admin@123456 india@12345 p@$$w0rd123 pa$$word123 qwerty@123 welcome@123 welcome@1234`
    .split(/\s+/)
    .concat('correct horse battery staple'),
);
