package proc_test

const victimCommand = "__victim"

func victimMain([]string) int { return 0 }
