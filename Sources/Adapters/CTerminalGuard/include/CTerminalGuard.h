#ifndef CTERMINALGUARD_H
#define CTERMINALGUARD_H

#include <stddef.h>

// Leaves a terminal as it was found, however the process ends. There is one guarded terminal per process.
//
// Signal handlers may do very little; these functions prepare everything beforehand, so that a handler only writes
// one prepared string and restores the kept settings.

/// Keeps the settings of a terminal, makes it raw, writes `enter`, and installs the signal handlers.
///
/// After the process ends in any way but SIGKILL, `leave` has been written and the settings are as before.
/// Returns 0, or the error number of the call that failed; then nothing has changed.
int terminal_guard_enter(int input, int output, const char *enter, const char *leave);

/// Writes `leave` and restores the settings; does nothing if that has been done. Safe in a signal handler.
void terminal_guard_leave(void);

/// Whether the terminal is raw and shows the full screen.
int terminal_guard_is_entered(void);

/// Makes the terminal raw again and writes `enter`, after `terminal_guard_leave`.
int terminal_guard_reenter(void);

/// Leaves the terminal, stops the process as `^Z` does, and enters the terminal again when the process continues.
void terminal_guard_suspend(void);

/// Leaves the terminal, runs a program on it in this process's group, and waits until the program ends.
///
/// `arguments` begins with the program's path and ends with NULL. Meanwhile ^C and ^\ concern the program alone, and ^Z stops both.
/// The terminal is not entered again. Returns 0 and the program's `status` as `waitpid` gives it, or the error number of the call
/// that failed.
int terminal_guard_run(char *const arguments[], int *status);

/// The file descriptor from which the numbers of caught signals are read, one byte each; -1 before the first `enter`.
///
/// They are SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP and SIGWINCH.
int terminal_guard_signals(void);

/// Writes one byte to the descriptor of `terminal_guard_signals`, which wakes the thread that waits for it.
void terminal_guard_wake(unsigned char byte);

#endif
